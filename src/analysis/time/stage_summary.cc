// SPDX-License-Identifier: Apache-2.0
#include "analysis/time/stage_summary.h"

#include <algorithm>
#include <iterator>

#include "analysis/selection/time_range.h"
#include "analysis/time/timeline.h"
#include "base/memory_limit.h"
#include "base/parallel.h"

namespace sparkprof {
namespace {

void AddSample(const Sample& sample, uint32_t row, StackKind kind, std::string_view event, StageSummary* stage) {
  if (event == EventName(Event::kLock)) {
    stage->lock_samples.push_back(row);
    stage->lock_ns += sample.weight;
    return;
  }
  stage->samples.push_back(row);
  if (event == EventName(Event::kCpu)) {
    stage->cpu_samples_ns += sample.weight;
    return;
  }
  stage->wall_samples_ns += sample.weight;
  if (sample.state == ThreadState::kRunning) stage->runnable_ns += sample.weight;
  if (kind == StackKind::kPythonWait) {
    stage->python_wait_ns += sample.weight;
  } else if (kind == StackKind::kEngineWait) {
    if (sample.state == ThreadState::kSleeping) stage->engine_wait_ns += sample.weight;
  } else if (kind == StackKind::kPythonStart) {
    stage->python_start_ns += sample.weight;
  } else if (sample.state == ThreadState::kSleeping && kind != StackKind::kVmWait) {
    stage->sleep_ns += sample.weight;
  }
}

struct TaskEdge {
  int64_t time_ns = 0;
  int32_t stage = -1;
  int32_t change = 0;  // change of the number of running tasks
};

// Tasks are sorted by start, and nearly by end, so sorting each is fast.
std::vector<TaskEdge> EdgesOf(const Application& application) {
  const Tasks& tasks = application.tasks;
  const TimeRange range = RangeOf(application);
  std::vector<TaskEdge> begins, ends;
  begins.reserve(tasks.Size());
  ends.reserve(tasks.Size());
  for (size_t task = 0; task < tasks.Size(); ++task) {
    const int64_t begin_ns = std::max(tasks.launch_ns[task], range.start_ns);
    const int64_t end_ns = std::min(TaskEnd(application, task, range.end_ns), range.end_ns);
    if (tasks.launch_ns[task] <= 0 || end_ns <= begin_ns) continue;
    begins.push_back({begin_ns, tasks.stage[task], 1});
    ends.push_back({end_ns, tasks.stage[task], -1});
  }
  const auto earlier = [](const TaskEdge& a, const TaskEdge& b) { return a.time_ns < b.time_ns; };
  if (!std::ranges::is_sorted(begins, earlier)) std::ranges::stable_sort(begins, earlier);
  std::ranges::stable_sort(ends, earlier);
  std::vector<TaskEdge> edges;
  edges.reserve(begins.size() + ends.size());
  std::merge(begins.begin(), begins.end(), ends.begin(), ends.end(), std::back_inserter(edges), earlier);
  return edges;
}

}  // namespace

Quantiles QuantilesOf(std::vector<int64_t> values) {
  if (values.empty()) return {};
  const auto place = [&](size_t quarter) {
    return values.begin() + static_cast<ptrdiff_t>((values.size() - 1) * quarter / 4);
  };
  // Each part of the values lies between the quartiles that are already in place.
  std::nth_element(values.begin(), place(2), values.end());
  std::nth_element(values.begin(), place(1), place(2));
  if (place(3) > place(2)) std::nth_element(place(2) + 1, place(3), values.end());
  return {*std::min_element(values.begin(), place(1) + 1), *place(1), *place(2), *place(3),
          *std::max_element(place(3), values.end())};
}

void StageSummary::SetQuantiles(const Tasks& of) {
  quantiles_.clear();
  has_ended_ = std::ranges::any_of(tasks, [&](uint32_t task) { return of.outcome[task] != TaskOutcome::kRunning; });
  if (tasks.size() <= 1) return;
  std::vector<int64_t> values;
  for (size_t metric = 0; metric < kTaskMetricCount; ++metric) {
    values.clear();
    for (const uint32_t task : tasks) {
      if (of.outcome[task] != TaskOutcome::kRunning) values.push_back(of.metrics[metric][task]);
    }
    // Most metrics are 0 in most stages.
    if (std::ranges::all_of(values, [](int64_t value) { return value == 0; })) continue;
    quantiles_.emplace_back(static_cast<TaskMetric>(metric), QuantilesOf(values));
  }
  quantiles_.shrink_to_fit();
}

Quantiles StageSummary::Of(TaskMetric metric) const {
  for (const auto& [known, quantiles] : quantiles_) {
    if (known == metric) return quantiles;
  }
  if (tasks.size() != 1 || !has_ended_) return {};
  const int64_t only = Total(metric);
  return {only, only, only, only, only};
}

std::vector<StageSummary> SummarizeStages(const Application& application, const std::vector<StackKind>& kinds) {
  const Tasks& tasks = application.tasks;
  std::vector<StageSummary> stages(application.stages.size());
  std::vector<size_t> sizes(stages.size());
  for (const int32_t stage : tasks.stage) {
    if (stage >= 0) ++sizes[static_cast<size_t>(stage)];
  }
  for (size_t row = 0; row < stages.size(); ++row) stages[row].tasks.reserve(sizes[row]);
  for (uint32_t task = 0; task < tasks.Size(); ++task) {
    if (tasks.stage[task] < 0) continue;
    StageSummary& stage = stages[static_cast<size_t>(tasks.stage[task])];
    stage.tasks.push_back(task);
    stage.failed_tasks += tasks.outcome[task] == TaskOutcome::kFailed || tasks.outcome[task] == TaskOutcome::kKilled;
  }
  std::vector<int64_t> wall_ns;
  ForEachInParallel(stages.size() + 1, MemoryLimit::Threads(), [&](size_t row) {
    if (row == 0) {  // takes longest
      wall_ns = WallTimeOfStages(application);
      return;
    }
    StageSummary& stage = stages[row - 1];
    for (size_t metric = 0; metric < kTaskMetricCount; ++metric) {
      for (const uint32_t task : stage.tasks) stage.totals[metric] += tasks.metrics[metric][task];
    }
    stage.SetQuantiles(tasks);
  });
  for (size_t row = 0; row < stages.size(); ++row) stages[row].wall_ns = wall_ns[row];
  const Profile& profile = application.profile;
  const EventId cpu = profile.Row(Event::kCpu), wall = profile.Row(Event::kWall), lock = profile.Row(Event::kLock);
  const std::vector<int32_t> task_rows = application.TaskRows();
  const auto stage_of = [&](const Sample& sample) -> StageSummary* {
    const int32_t task = task_rows[sample.task];
    const int32_t stage = task < 0 ? -1 : tasks.stage[static_cast<size_t>(task)];
    return stage < 0 ? nullptr : &stages[static_cast<size_t>(stage)];
  };
  for (uint32_t row = 0; row < profile.samples.size(); ++row) {
    const Sample& sample = profile.samples[row];
    if (sample.event != cpu && sample.event != wall && sample.event != lock) continue;
    StageSummary* const stage = stage_of(sample);
    if (stage != nullptr) AddSample(sample, row, kinds[sample.stack], profile.events[sample.event].name, stage);
  }
  for (uint32_t row = 0; row < application.python_samples.size(); ++row) {
    const Sample& sample = application.python_samples[row];
    if (sample.event != cpu && sample.event != wall) continue;
    StageSummary* const stage = stage_of(sample);
    if (stage == nullptr) continue;
    stage->python_samples.push_back(row);
    if (sample.event == wall && sample.state == ThreadState::kRunning) stage->python_runnable_ns += sample.weight;
  }
  return stages;
}

std::vector<int64_t> WallTimeOfStages(const Application& application) {
  struct Running {
    int64_t tasks = 0;
    double since = 0;  // value of `per_task_ns` up to which `wall_ns` is complete
    double wall_ns = 0;
  };
  std::vector<Running> stages(application.stages.size());
  double per_task_ns = 0;  // wall-clock time of a task that has been running from the start
  int64_t running = 0, now_ns = 0;
  for (const TaskEdge& edge : EdgesOf(application)) {
    if (running > 0) per_task_ns += static_cast<double>(edge.time_ns - now_ns) / static_cast<double>(running);
    now_ns = edge.time_ns;
    running += edge.change;
    if (edge.stage < 0) continue;
    Running& stage = stages[static_cast<size_t>(edge.stage)];
    stage.wall_ns += (per_task_ns - stage.since) * static_cast<double>(stage.tasks);
    stage.since = per_task_ns;
    stage.tasks += edge.change;
  }
  std::vector<int64_t> wall_ns;
  wall_ns.reserve(stages.size());
  for (const Running& stage : stages) wall_ns.push_back(static_cast<int64_t>(stage.wall_ns));
  return wall_ns;
}

}  // namespace sparkprof
