// SPDX-License-Identifier: Apache-2.0
#include "recording/task_intervals.h"

#include <algorithm>
#include <limits>
#include <string>

#include "base/saturate.h"

namespace sparkprof {
namespace {

int32_t Narrow(int64_t value, int32_t fallback) {
  return value >= 0 && value <= std::numeric_limits<int32_t>::max() ? static_cast<int32_t>(value) : fallback;
}

}  // namespace

void TaskIntervals::Add(const std::vector<TaskInterval>& intervals, int32_t executor) {
  Tasks& tasks = application_->tasks;
  for (const TaskInterval& interval : intervals) {
    if (interval.task < 0) continue;
    const size_t row = static_cast<size_t>(index_->Task(interval.task));
    if (tasks.stage[row] < 0 && interval.stage >= 0) {
      tasks.stage[row] = index_->Stage(interval.stage, std::max<int64_t>(0, interval.stage_attempt));
      Stage& stage = application_->stages[static_cast<size_t>(tasks.stage[row])];
      if (stage.name.empty()) stage.name = "stage " + std::to_string(stage.id);
      if (stage.sql_execution < 0) stage.sql_execution = interval.sql_execution;
    }
    if (tasks.partition[row] < 0) tasks.partition[row] = Narrow(interval.partition, -1);
    if (tasks.attempt[row] == 0) tasks.attempt[row] = Narrow(interval.attempt, 0);
    if (tasks.executor[row] < 0) tasks.executor[row] = executor;
    if (tasks.launch_ns[row] == 0) tasks.launch_ns[row] = std::max<int64_t>(0, interval.begin_ns);
    if (tasks.outcome[row] != TaskOutcome::kRunning || interval.end_ns <= 0) continue;
    tasks.finish_ns[row] = interval.end_ns;
    if (interval.status == TaskStatus::kSucceeded) tasks.outcome[row] = TaskOutcome::kSucceeded;
    if (interval.status == TaskStatus::kFailed) tasks.outcome[row] = TaskOutcome::kFailed;
  }
}

void TaskIntervals::Finish() {
  FillStages();
  FillMetrics();
}

void TaskIntervals::FillStages() {
  std::vector<Stage>& stages = application_->stages;
  for (size_t row = stages_from_events_; row < stages.size(); ++row) stages[row].status = RunStatus::kSucceeded;
  const Tasks& tasks = application_->tasks;
  for (size_t row = 0; row < tasks.Size(); ++row) {
    if (tasks.stage[row] < 0 || static_cast<size_t>(tasks.stage[row]) < stages_from_events_) continue;
    Stage& stage = stages[static_cast<size_t>(tasks.stage[row])];
    ++stage.task_count;
    const int64_t launch_ns = tasks.launch_ns[row];
    if (launch_ns > 0 && (stage.submit_ns == 0 || launch_ns < stage.submit_ns)) stage.submit_ns = launch_ns;
    stage.end_ns = std::max(stage.end_ns, tasks.finish_ns[row]);
    if (tasks.finish_ns[row] == 0) stage.status = RunStatus::kRunning;
  }
  for (size_t row = stages_from_events_; row < stages.size(); ++row) {
    if (stages[row].status == RunStatus::kRunning) stages[row].end_ns = 0;
  }
}

void TaskIntervals::FillMetrics() {
  Tasks& tasks = application_->tasks;
  MetricColumn& cpu = tasks.Column(TaskMetric::kCpuSamples);
  const Profile& profile = application_->profile;
  const EventId cpu_event = profile.Row(Event::kCpu);
  for (const Sample& sample : profile.samples) {
    const int64_t task = profile.tasks[sample.task].task;
    if (sample.event != cpu_event || task < 0) continue;
    const size_t row = static_cast<size_t>(index_->Task(task));
    int64_t sum = cpu[row];
    AddSaturated(sample.weight, &sum);
    cpu[row] = sum;
  }
  MetricColumn& duration = tasks.Column(TaskMetric::kDuration);
  for (size_t row = 0; row < tasks.Size(); ++row) {
    if (duration[row] == 0 && tasks.launch_ns[row] > 0 && tasks.finish_ns[row] > tasks.launch_ns[row]) {
      duration[row] = tasks.finish_ns[row] - tasks.launch_ns[row];
    }
  }
}

}  // namespace sparkprof
