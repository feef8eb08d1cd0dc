// SPDX-License-Identifier: Apache-2.0
#include "analysis/time/stage_totals.h"

#include <unordered_map>

#include "base/saturate.h"

namespace sparkprof {

std::vector<StageTotals> TotalsOfStages(const Application& application) {
  const Tasks& tasks = application.tasks;
  std::vector<StageTotals> totals(application.stages.size());
  for (size_t row = 0; row < tasks.Size(); ++row) {
    if (tasks.stage[row] < 0) continue;
    StageTotals& stage = totals[static_cast<size_t>(tasks.stage[row])];
    ++stage.count[static_cast<size_t>(tasks.outcome[row])];
    for (size_t metric = 0; metric < kTaskMetricCount; ++metric)
      AddSaturated(tasks.metrics[metric][row], &stage.sum[metric]);
    const int64_t launch_ns = tasks.launch_ns[row];
    if (launch_ns > 0 && (stage.first_launch_ns == 0 || launch_ns < stage.first_launch_ns))
      stage.first_launch_ns = launch_ns;
  }
  for (size_t row = 0; row < totals.size(); ++row)
    totals[row].count[static_cast<size_t>(TaskOutcome::kFailed)] += application.stages[row].resubmitted_tasks;
  return totals;
}

std::vector<JobTotals> TotalsOfJobs(const Application& application) {
  const std::vector<StageTotals> stages = TotalsOfStages(application);
  std::unordered_map<int64_t, std::vector<size_t>> attempts;  // rows of stages by stage ID
  for (size_t row = 0; row < application.stages.size(); ++row) attempts[application.stages[row].id].push_back(row);
  std::vector<JobTotals> totals;
  for (const Job& job : application.jobs) {
    JobTotals& sum = totals.emplace_back();
    for (const int64_t id : job.stages) {
      const auto found = attempts.find(id);
      if (found == attempts.end()) continue;
      for (const size_t row : found->second) {
        const Stage& stage = application.stages[row];
        // A stage shared by several jobs ran for the first of them; the others skip it.
        const bool skipped = stage.status == RunStatus::kSkipped || (stage.job >= 0 && stage.job != job.id);
        if (stage.attempt == 0) sum.tasks += stage.task_count;
        if (skipped) {
          if (stage.attempt == 0) {
            ++sum.skipped_stages;
            sum.skipped_tasks += stage.task_count;
          }
          continue;
        }
        const auto count = [&](TaskOutcome outcome) { return stages[row].count[static_cast<size_t>(outcome)]; };
        sum.active_tasks += count(TaskOutcome::kRunning);
        sum.completed_tasks += count(TaskOutcome::kSucceeded);
        sum.failed_tasks += count(TaskOutcome::kFailed);
        sum.killed_tasks += count(TaskOutcome::kKilled);
        sum.active_stages += stage.status == RunStatus::kRunning;
        sum.completed_stages += stage.status == RunStatus::kSucceeded;
        sum.failed_stages += stage.status == RunStatus::kFailed;
      }
    }
  }
  return totals;
}

std::vector<ExecutorTotals> TotalsOfExecutors(const Application& application) {
  const Tasks& tasks = application.tasks;
  std::vector<ExecutorTotals> totals(application.executors.size());
  for (size_t row = 0; row < tasks.Size(); ++row) {
    if (tasks.executor[row] < 0) continue;
    ExecutorTotals& executor = totals[static_cast<size_t>(tasks.executor[row])];
    ++executor.count[static_cast<size_t>(tasks.outcome[row])];
    AddSaturated(tasks.Column(TaskMetric::kDuration)[row], &executor.duration_ns);
    AddSaturated(tasks.Column(TaskMetric::kGcTime)[row], &executor.gc_ns);
    AddSaturated(tasks.Column(TaskMetric::kInputBytes)[row], &executor.input_bytes);
    AddSaturated(tasks.Column(TaskMetric::kShuffleReadBytes)[row], &executor.shuffle_read_bytes);
    AddSaturated(tasks.Column(TaskMetric::kShuffleWriteBytes)[row], &executor.shuffle_write_bytes);
  }
  for (size_t row = 0; row < totals.size(); ++row)
    totals[row].count[static_cast<size_t>(TaskOutcome::kFailed)] += application.executors[row].resubmitted_tasks;
  return totals;
}

}  // namespace sparkprof
