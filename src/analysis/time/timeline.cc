// SPDX-License-Identifier: Apache-2.0
#include "analysis/time/timeline.h"

#include <algorithm>

#include "analysis/selection/time_range.h"
#include "base/saturate.h"

namespace sparkprof {
namespace {

struct Changes {
  std::vector<int64_t> starts_ns;
  std::vector<int64_t> ends_ns;
};

void AddTask(const Application& application, size_t task, int64_t application_end_ns, Changes* changes) {
  const int64_t launch_ns = application.tasks.launch_ns[task];
  if (launch_ns <= 0) return;
  changes->starts_ns.push_back(launch_ns);
  changes->ends_ns.push_back(std::max(launch_ns, TaskEnd(application, task, application_end_ns)));
}

// Tasks are sorted by start, and nearly by end, so sorting each is fast.
void Sort(Changes* changes) {
  for (std::vector<int64_t>* times : {&changes->starts_ns, &changes->ends_ns}) {
    if (!std::ranges::is_sorted(*times)) std::ranges::sort(*times);
  }
}

// An executor starts a task as soon as a core is free, before the driver has recorded the end of the core's previous
// task. That task's end is limited to this start.
void EndInTime(int64_t cores, Changes* of_executor) {
  if (cores <= 0) return;
  for (size_t end = 0, start = static_cast<size_t>(cores); start < of_executor->starts_ns.size(); ++end, ++start)
    of_executor->ends_ns[end] = std::min(of_executor->ends_ns[end], of_executor->starts_ns[start]);
}

// Changes by executor; the last element has the tasks of unknown executors.
std::vector<Changes> ChangesOf(const Application& application) {
  const int64_t end_ns = RangeOf(application).end_ns;
  const size_t executors = application.executors.size();
  std::vector<Changes> changes(executors + 1);
  for (size_t task = 0; task < application.tasks.Size(); ++task) {
    const int32_t executor = application.tasks.executor[task];
    AddTask(application, task, end_ns, &changes[executor < 0 ? executors : static_cast<size_t>(executor)]);
  }
  for (size_t row = 0; row <= executors; ++row) {
    Sort(&changes[row]);
    if (row < executors) EndInTime(application.executors[row].cores, &changes[row]);
  }
  return changes;
}

Changes Merge(const Changes& a, const Changes& b) {
  const auto merge = [](const std::vector<int64_t>& left, const std::vector<int64_t>& right) {
    std::vector<int64_t> all(left.size() + right.size());
    std::merge(left.begin(), left.end(), right.begin(), right.end(), all.begin());
    return all;
  };
  return {merge(a.starts_ns, b.starts_ns), merge(a.ends_ns, b.ends_ns)};
}

std::vector<ConcurrencyStep> Sweep(const Changes& changes) {
  std::vector<ConcurrencyStep> steps;
  int32_t running = 0;
  auto start = changes.starts_ns.begin();
  auto end = changes.ends_ns.begin();
  while (end != changes.ends_ns.end()) {  // no task ends before it starts
    const int64_t time_ns = start == changes.starts_ns.end() ? *end : std::min(*start, *end);
    for (; start != changes.starts_ns.end() && *start == time_ns; ++start) ++running;
    for (; end != changes.ends_ns.end() && *end == time_ns; ++end) --running;
    steps.push_back({time_ns, running});
  }
  return steps;
}

}  // namespace

int64_t TaskEnd(const Application& application, size_t task, int64_t application_end_ns) {
  const Tasks& tasks = application.tasks;
  const int64_t launch_ns = tasks.launch_ns[task];
  if (tasks.finish_ns[task] > 0) return tasks.finish_ns[task];
  if (launch_ns <= 0) return 0;
  const bool has_samples = tasks.Column(TaskMetric::kCpuSamples)[task] > 0;
  if (!application.ended || has_samples) return std::max(application_end_ns, launch_ns);
  const int32_t stage = tasks.stage[task];
  return std::max(launch_ns, stage < 0 ? 0 : application.stages[static_cast<size_t>(stage)].end_ns);
}

std::vector<std::vector<ConcurrencyStep>> ConcurrencyOf(const Application& application) {
  std::vector<Changes> changes = ChangesOf(application);
  changes.pop_back();
  std::vector<std::vector<ConcurrencyStep>> concurrency;
  for (const Changes& of_executor : changes) concurrency.push_back(Sweep(of_executor));
  return concurrency;
}

std::vector<ConcurrencyStep> ConcurrencyOfAll(const Application& application) {
  std::vector<Changes> parts = ChangesOf(application);
  // Merges pairs of sorted parts repeatedly.
  for (; parts.size() > 1; parts.resize((parts.size() + 1) / 2)) {
    for (size_t part = 0; part < parts.size(); part += 2)
      parts[part / 2] = part + 1 < parts.size() ? Merge(parts[part], parts[part + 1]) : std::move(parts[part]);
  }
  return Sweep(parts.front());
}

int64_t TaskTimeOf(const Application& application) {
  int64_t time_ns = 0;
  for (const Changes& of_executor : ChangesOf(application)) {
    // With both sorted, an end is not before the start at the same index.
    for (size_t task = 0; task < of_executor.starts_ns.size(); ++task)
      AddSaturated(of_executor.ends_ns[task] - of_executor.starts_ns[task], &time_ns);
  }
  return time_ns;
}

ConcurrencyProfile ProfileOf(const Application& application) {
  const TimeRange range = RangeOf(application);
  const std::vector<ConcurrencyStep> steps = ConcurrencyOfAll(application);
  ConcurrencyProfile profile;
  profile.peak = Peak(steps);
  profile.time_at_ns.resize(static_cast<size_t>(profile.peak) + 1);
  int64_t since_ns = range.start_ns;
  int32_t running = 0;
  double task_time = 0;
  const auto add_until = [&](int64_t until_ns) {
    const int64_t passed_ns =
        std::max<int64_t>(0, std::min(until_ns, range.end_ns) - std::max(since_ns, range.start_ns));
    profile.time_at_ns[static_cast<size_t>(std::max(running, 0))] += passed_ns;
    task_time += static_cast<double>(passed_ns) * running;
  };
  for (const ConcurrencyStep& step : steps) {
    add_until(step.time_ns);
    since_ns = step.time_ns;
    running = step.running;
  }
  add_until(range.end_ns);
  const int64_t active_ns = range.Duration() - profile.time_at_ns[0];
  if (range.Duration() > 0) profile.mean = task_time / static_cast<double>(range.Duration());
  if (active_ns > 0) profile.mean_active = task_time / static_cast<double>(active_ns);
  return profile;
}

int32_t Peak(const std::vector<ConcurrencyStep>& steps) {
  int32_t peak = 0;
  for (const ConcurrencyStep& step : steps) peak = std::max(peak, step.running);
  return peak;
}

JobTimes::JobTimes(const Application& application) {
  std::vector<std::pair<int64_t, int64_t>> jobs;
  for (const Job& job : application.jobs) {
    const int64_t end_ns = job.end_ns > 0 ? job.end_ns : INT64_MAX;
    if (job.submit_ns > 0 && end_ns > job.submit_ns) jobs.emplace_back(job.submit_ns, end_ns);
  }
  std::ranges::sort(jobs);
  for (const auto& [begin_ns, end_ns] : jobs) {
    if (spans_.empty() || begin_ns > spans_.back().second) {
      spans_.emplace_back(begin_ns, end_ns);
    } else {
      spans_.back().second = std::max(spans_.back().second, end_ns);
    }
  }
}

int64_t JobTimes::Between(int64_t begin_ns, int64_t end_ns) const {
  auto span = std::upper_bound(spans_.begin(), spans_.end(), begin_ns,
                               [](int64_t time_ns, const auto& one) { return time_ns < one.second; });
  int64_t time_ns = 0;
  for (; span != spans_.end() && span->first < end_ns; ++span)
    time_ns += std::max<int64_t>(0, std::min(span->second, end_ns) - std::max(span->first, begin_ns));
  return time_ns;
}

}  // namespace sparkprof
