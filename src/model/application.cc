// SPDX-License-Identifier: Apache-2.0
#include "model/application.h"

#include <algorithm>

#include "model/task_index.h"

namespace sparkprof {

std::string_view RunStatusName(RunStatus status) {
  switch (status) {
    case RunStatus::kRunning:
      return "running";
    case RunStatus::kSucceeded:
      return "succeeded";
    case RunStatus::kFailed:
      return "failed";
    case RunStatus::kPending:
      return "pending";
    case RunStatus::kSkipped:
      return "skipped";
  }
  return "running";
}

size_t Application::ExecutorCount() const {
  const auto runs_tasks = [](const Executor& executor) { return executor.id != "driver" || executor.cores > 0; };
  return static_cast<size_t>(std::count_if(executors.begin(), executors.end(), runs_tasks));
}

std::vector<int32_t> Application::TaskRows() const {
  const TaskIndex index(tasks);
  std::vector<int32_t> rows;
  for (const ProfileTask& task : profile.tasks) rows.push_back(index.Row(task.task));
  return rows;
}

void Application::FillProfileTasks() {
  const std::vector<int32_t> rows = TaskRows();
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0) continue;
    const auto row = static_cast<size_t>(rows[i]);
    ProfileTask& task = profile.tasks[i];
    task.partition = tasks.partition[row];
    if (tasks.stage[row] < 0) continue;
    const Stage& stage = stages[static_cast<size_t>(tasks.stage[row])];
    task.stage = stage.id;
    task.stage_attempt = stage.attempt;
  }
}

size_t Tasks::Append(int64_t task_id) {
  constexpr uint8_t kUnknownLocality = 5;
  id.push_back(task_id);
  stage.push_back(-1);
  index.push_back(-1);
  partition.push_back(-1);
  attempt.push_back(0);
  executor.push_back(-1);
  launch_ns.push_back(0);
  finish_ns.push_back(0);
  outcome.push_back(TaskOutcome::kRunning);
  speculative.push_back(0);
  locality.push_back(kUnknownLocality);
  reason.push_back(0);
  for (MetricColumn& column : metrics) column.push_back(0);
  return id.size() - 1;
}

}  // namespace sparkprof
