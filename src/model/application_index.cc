// SPDX-License-Identifier: Apache-2.0
#include "model/application_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace sparkprof {
namespace {

uint64_t HashOf(int64_t id) { return MixHash(static_cast<uint64_t>(id)); }

uint64_t HashOfStage(int64_t id, int64_t attempt) { return HashOf(id ^ static_cast<int64_t>(HashOf(attempt))); }

int32_t RowOrNone(uint32_t found) {
  return found == HashIndex::kNone ? ApplicationIndex::kNone : static_cast<int32_t>(found);
}

template <typename Rows>
void Insert(HashIndex* index, const Rows& rows, uint32_t row) {
  index->Insert(HashOf(rows[row].id), row, [&](uint32_t other) { return HashOf(rows[other].id); });
}

template <typename Rows>
int32_t Find(const HashIndex& index, const Rows& rows, int64_t id) {
  return RowOrNone(index.Find(HashOf(id), [&](uint32_t row) { return rows[row].id == id; }));
}

template <typename Rows>
int32_t FindOrMake(HashIndex* index, Rows* rows, int64_t id) {
  const int32_t found = Find(*index, *rows, id);
  if (found != ApplicationIndex::kNone) return found;
  rows->emplace_back().id = id;
  Insert(index, *rows, static_cast<uint32_t>(rows->size() - 1));
  return static_cast<int32_t>(rows->size() - 1);
}

}  // namespace

ApplicationIndex::ApplicationIndex(Application* application) : application_(application) {
  recent_executors_.fill(kNone);
  if (application->tasks.Size() > 0) IndexTasks();
  for (uint32_t row = 0; row < application->stages.size(); ++row) InsertStage(row);
  for (uint32_t row = 0; row < application->jobs.size(); ++row) Insert(&jobs_, application->jobs, row);
  for (uint32_t row = 0; row < application->sql_executions.size(); ++row) {
    Insert(&sql_executions_, application->sql_executions, row);
  }
  int32_t row = 0;
  for (const sparkprof::Executor& executor : application->executors) executors_.emplace(executor.id, row++);
}

void ApplicationIndex::InsertTask(uint32_t row) {
  const std::vector<int64_t>& ids = application_->tasks.id;
  tasks_.Insert(HashOf(ids[row]), row, [&](uint32_t other) { return HashOf(ids[other]); });
}

void ApplicationIndex::InsertStage(uint32_t row) {
  const auto hash = [&](uint32_t of) {
    return HashOfStage(application_->stages[of].id, application_->stages[of].attempt);
  };
  stages_.Insert(hash(row), row, hash);
}

void ApplicationIndex::IndexTasks() {
  has_rows_by_id_ = false;
  for (uint32_t row = 0; row < application_->tasks.Size(); ++row) InsertTask(row);
}

int32_t ApplicationIndex::FindTask(int64_t task_id) {
  const std::vector<int64_t>& ids = application_->tasks.id;
  if (!has_rows_by_id_)
    return RowOrNone(tasks_.Find(HashOf(task_id), [&](uint32_t row) { return ids[row] == task_id; }));
  if (ids.empty() || task_id < ids.front() || task_id > ids.back()) return kNone;
  return static_cast<int32_t>(task_id - ids.front());
}

int32_t ApplicationIndex::Task(int64_t task_id) {
  const int32_t found = FindTask(task_id);
  if (found != kNone) return found;
  const std::vector<int64_t>& ids = application_->tasks.id;
  if (has_rows_by_id_ && !ids.empty() && (ids.back() == INT64_MAX || task_id != ids.back() + 1)) IndexTasks();
  const size_t row = application_->tasks.Append(task_id);
  if (!has_rows_by_id_) InsertTask(static_cast<uint32_t>(row));
  return static_cast<int32_t>(row);
}

int32_t ApplicationIndex::Stage(int64_t stage_id, int64_t attempt) {
  const int32_t found = FindStage(stage_id, attempt);
  if (found != kNone) return found;
  sparkprof::Stage& stage = application_->stages.emplace_back();
  stage.id = stage_id;
  stage.attempt = attempt;
  const size_t row = application_->stages.size() - 1;
  InsertStage(static_cast<uint32_t>(row));
  return static_cast<int32_t>(row);
}

int32_t ApplicationIndex::Job(int64_t job_id) { return FindOrMake(&jobs_, &application_->jobs, job_id); }

int32_t ApplicationIndex::SqlExecution(int64_t execution_id) {
  return FindOrMake(&sql_executions_, &application_->sql_executions, execution_id);
}

int32_t ApplicationIndex::Executor(std::string_view executor_id) {
  if (executor_id.empty()) return kNone;
  uint64_t end_of_id = 0;
  const size_t size = std::min(executor_id.size(), sizeof end_of_id);
  std::memcpy(&end_of_id, executor_id.data() + executor_id.size() - size, size);
  int32_t& recent = recent_executors_[MixHash(end_of_id) % kRecentExecutors];
  if (recent != kNone && application_->executors[static_cast<size_t>(recent)].id == executor_id) return recent;
  if (executor_id == "<driver>") executor_id = "driver";  // name in Spark 1.3
  if (const auto found = executors_.find(executor_id); found != executors_.end()) return recent = found->second;
  const int32_t row = static_cast<int32_t>(application_->executors.size());
  application_->executors.emplace_back().id = executor_id;
  executors_.emplace(executor_id, row);
  return recent = row;
}

bool ApplicationIndex::IsFull() const {
  return std::max({application_->stages.size(), application_->jobs.size(), application_->sql_executions.size(),
                   application_->executors.size(), application_->cached_rdds.size(),
                   application_->streaming_queries.size(), application_->streaming_batches.size()}) >= kMaxRows;
}

void ApplicationIndex::NoteLeftOut(std::string_view what, int64_t count) {
  if (count == 0) return;
  application_->losses.push_back(
      {std::string(what),
       fmt::format("beyond the limit of {} stages, jobs, SQL executions, executors or streaming batches", kMaxRows),
       count});
}

int32_t ApplicationIndex::FindStage(int64_t stage_id, int64_t attempt) const {
  return RowOrNone(stages_.Find(HashOfStage(stage_id, attempt), [&](uint32_t row) {
    return application_->stages[row].id == stage_id && application_->stages[row].attempt == attempt;
  }));
}

int32_t ApplicationIndex::FindJob(int64_t job_id) const { return Find(jobs_, application_->jobs, job_id); }

int32_t ApplicationIndex::FindSqlExecution(int64_t execution_id) const {
  return Find(sql_executions_, application_->sql_executions, execution_id);
}

}  // namespace sparkprof
