// SPDX-License-Identifier: Apache-2.0
#include "spark/application_index.h"

#include <fmt/format.h>

#include <algorithm>

namespace sparkprof {
namespace {

template <typename Map, typename Key>
int32_t FindIn(const Map& map, const Key& key) {
  const auto found = map.find(key);
  return found == map.end() ? ApplicationIndex::kNone : found->second;
}

}  // namespace

ApplicationIndex::ApplicationIndex(Application* application) : application_(application) {
  for (size_t row = 0; row < application->tasks.Size(); ++row) {
    InsertTask(application->tasks.id[row], static_cast<uint32_t>(row));
  }
  int32_t row = 0;
  for (const sparkprof::Stage& stage : application->stages) stages_.emplace(StageKey{stage.id, stage.attempt}, row++);
  row = 0;
  for (const sparkprof::Job& job : application->jobs) jobs_.emplace(job.id, row++);
  row = 0;
  for (const sparkprof::SqlExecution& execution : application->sql_executions) {
    sql_executions_.emplace(execution.id, row++);
  }
  row = 0;
  for (const sparkprof::Executor& executor : application->executors) executors_.emplace(executor.id, row++);
}

void ApplicationIndex::InsertTask(int64_t task_id, uint32_t row) {
  tasks_.Insert(MixHash(static_cast<uint64_t>(task_id)), row,
                [&](uint32_t other) { return MixHash(static_cast<uint64_t>(application_->tasks.id[other])); });
}

int32_t ApplicationIndex::Task(int64_t task_id) {
  const uint32_t found = tasks_.Find(MixHash(static_cast<uint64_t>(task_id)),
                                     [&](uint32_t row) { return application_->tasks.id[row] == task_id; });
  if (found != HashIndex::kNone) return static_cast<int32_t>(found);
  const size_t row = application_->tasks.Append(task_id);
  InsertTask(task_id, static_cast<uint32_t>(row));
  return static_cast<int32_t>(row);
}

int32_t ApplicationIndex::Stage(int64_t stage_id, int64_t attempt) {
  const auto [place, is_new] =
      stages_.emplace(StageKey{stage_id, attempt}, static_cast<int32_t>(application_->stages.size()));
  if (is_new) {
    sparkprof::Stage& stage = application_->stages.emplace_back();
    stage.id = stage_id;
    stage.attempt = attempt;
  }
  return place->second;
}

int32_t ApplicationIndex::Job(int64_t job_id) {
  const auto [place, is_new] = jobs_.emplace(job_id, static_cast<int32_t>(application_->jobs.size()));
  if (is_new) application_->jobs.emplace_back().id = job_id;
  return place->second;
}

int32_t ApplicationIndex::SqlExecution(int64_t execution_id) {
  const auto [place, is_new] =
      sql_executions_.emplace(execution_id, static_cast<int32_t>(application_->sql_executions.size()));
  if (is_new) application_->sql_executions.emplace_back().id = execution_id;
  return place->second;
}

int32_t ApplicationIndex::Executor(std::string_view executor_id) {
  if (executor_id.empty()) return kNone;
  if (executor_id == "<driver>") executor_id = "driver";  // Spark 1.3
  const int32_t found = FindIn(executors_, executor_id);
  if (found != kNone) return found;
  const int32_t row = static_cast<int32_t>(application_->executors.size());
  application_->executors.emplace_back().id = executor_id;
  executors_.emplace(executor_id, row);
  return row;
}

bool ApplicationIndex::IsFull() const {
  return std::max({application_->stages.size(), application_->jobs.size(), application_->sql_executions.size(),
                   application_->executors.size()}) >= kMaxRows;
}

void ApplicationIndex::NoteLeftOut(std::string_view what, int64_t count) {
  if (count == 0) return;
  application_->losses.push_back(
      {std::string(what), fmt::format("after {} stages, jobs, SQL executions or executors, the limit", kMaxRows), count});
}

int32_t ApplicationIndex::FindStage(int64_t stage_id, int64_t attempt) const {
  return FindIn(stages_, StageKey{stage_id, attempt});
}

int32_t ApplicationIndex::FindJob(int64_t job_id) const { return FindIn(jobs_, job_id); }

int32_t ApplicationIndex::FindSqlExecution(int64_t execution_id) const { return FindIn(sql_executions_, execution_id); }

}  // namespace sparkprof
