// SPDX-License-Identifier: Apache-2.0
#include "recording/task_columns.h"

#include <algorithm>
#include <limits>
#include <string_view>

namespace sparkprof {
namespace {

// A column of Tasks that refers to no other table.
template <typename T>
struct PlainColumn {
  std::string_view name;
  std::vector<T> Tasks::*column;
};
constexpr PlainColumn<int32_t> kNumbers[] = {
    {"index", &Tasks::index}, {"partition", &Tasks::partition}, {"attempt", &Tasks::attempt}};
constexpr PlainColumn<int64_t> kTimes[] = {{"launchNs", &Tasks::launch_ns}, {"finishNs", &Tasks::finish_ns}};
constexpr PlainColumn<uint8_t> kFlags[] = {{"speculative", &Tasks::speculative}, {"locality", &Tasks::locality}};

// Computed from samples on reading.
constexpr TaskMetric kNotStored = TaskMetric::kCpuSamples;

template <typename Numbers>
void Put(std::string_view name, const Numbers& numbers, size_t begin, size_t end, Segment* segment) {
  Column& column = segment->task_columns.emplace_back();
  column.name = name;
  column.value.reserve(end - begin);
  for (size_t row = begin; row < end; ++row) column.value.push_back(static_cast<int64_t>(numbers[row]));
}

const std::vector<int64_t>* Find(const Segment& segment, std::string_view name) {
  for (const Column& column : segment.task_columns) {
    if (column.name == name) return &column.value;
  }
  return nullptr;
}

template <typename T>
void Take(const Segment& segment, const PlainColumn<T>& plain, const std::vector<size_t>& rows, Tasks* tasks) {
  const std::vector<int64_t>* const values = Find(segment, plain.name);
  if (values == nullptr) return;
  for (size_t i = 0; i < rows.size(); ++i) {
    const int64_t value = (*values)[i];
    if (value < std::numeric_limits<T>::min() || value > std::numeric_limits<T>::max()) continue;
    (tasks->*plain.column)[rows[i]] = static_cast<T>(value);
  }
}

std::string_view TextOf(const Segment& segment, const std::vector<int64_t>* ids, size_t i) {
  return ids == nullptr ? std::string_view() : segment.strings.Get(static_cast<StringId>((*ids)[i]));
}

}  // namespace

void PutTasks(const Application& application, size_t begin, size_t end, Segment* segment) {
  const Tasks& tasks = application.tasks;
  Put("id", tasks.id, begin, end, segment);
  std::vector<int64_t> stage, stage_attempt, executor, reason;
  for (size_t row = begin; row < end; ++row) {
    const bool has_stage = tasks.stage[row] >= 0;
    const Stage* const its_stage = has_stage ? &application.stages[static_cast<size_t>(tasks.stage[row])] : nullptr;
    stage.push_back(has_stage ? its_stage->id : -1);
    stage_attempt.push_back(has_stage ? its_stage->attempt : 0);
    executor.push_back(
        tasks.executor[row] < 0
            ? 0
            : segment->strings.Intern(application.executors[static_cast<size_t>(tasks.executor[row])].id));
    reason.push_back(segment->strings.Intern(application.profile.strings.Get(tasks.reason[row])));
  }
  Put("stage", stage, 0, stage.size(), segment);
  Put("stageAttempt", stage_attempt, 0, stage.size(), segment);
  Put("executor", executor, 0, stage.size(), segment);
  Put("reason", reason, 0, stage.size(), segment);
  for (const auto& plain : kNumbers) Put(plain.name, tasks.*plain.column, begin, end, segment);
  for (const auto& plain : kTimes) Put(plain.name, tasks.*plain.column, begin, end, segment);
  for (const auto& plain : kFlags) Put(plain.name, tasks.*plain.column, begin, end, segment);
  Put("outcome", tasks.outcome, begin, end, segment);
  for (size_t metric = 0; metric < kTaskMetricCount; ++metric) {
    const MetricColumn& column = tasks.metrics[metric];
    const auto first = column.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = column.begin() + static_cast<std::ptrdiff_t>(end);
    if (static_cast<TaskMetric>(metric) == kNotStored) continue;
    if (std::all_of(first, last, [](int64_t value) { return value == 0; })) continue;
    Put(Text(static_cast<TaskMetric>(metric)).name, column, begin, end, segment);
  }
}

void TakeTasks(const Segment& segment, Application* application, ApplicationIndex* index) {
  const std::vector<int64_t>* const ids = Find(segment, "id");
  if (ids == nullptr) return;
  Tasks& tasks = application->tasks;
  std::vector<size_t> rows;
  rows.reserve(ids->size());
  for (const int64_t id : *ids) rows.push_back(static_cast<size_t>(index->Task(id)));

  const std::vector<int64_t>* const stages = Find(segment, "stage");
  const std::vector<int64_t>* const attempts = Find(segment, "stageAttempt");
  const std::vector<int64_t>* const executors = Find(segment, "executor");
  const std::vector<int64_t>* const reasons = Find(segment, "reason");
  const std::vector<int64_t>* const outcomes = Find(segment, "outcome");
  for (size_t i = 0; i < rows.size(); ++i) {
    const size_t row = rows[i];
    if (stages != nullptr && (*stages)[i] >= 0) {
      tasks.stage[row] = index->Stage((*stages)[i], attempts == nullptr ? 0 : std::max<int64_t>(0, (*attempts)[i]));
    }
    if (const int32_t executor = index->Executor(TextOf(segment, executors, i)); executor >= 0)
      tasks.executor[row] = executor;
    tasks.reason[row] = application->profile.strings.Intern(TextOf(segment, reasons, i));
    if (outcomes != nullptr && (*outcomes)[i] >= 0 && (*outcomes)[i] <= static_cast<int64_t>(TaskOutcome::kKilled))
      tasks.outcome[row] = static_cast<TaskOutcome>((*outcomes)[i]);
  }
  for (const auto& plain : kNumbers) Take(segment, plain, rows, &tasks);
  for (const auto& plain : kTimes) Take(segment, plain, rows, &tasks);
  for (const auto& plain : kFlags) Take(segment, plain, rows, &tasks);
  for (size_t metric = 0; metric < kTaskMetricCount; ++metric) {
    const std::vector<int64_t>* const values = Find(segment, Text(static_cast<TaskMetric>(metric)).name);
    if (values == nullptr || static_cast<TaskMetric>(metric) == kNotStored) continue;
    for (size_t i = 0; i < rows.size(); ++i) tasks.metrics[metric][rows[i]] = std::max<int64_t>(0, (*values)[i]);
  }
}

}  // namespace sparkprof
