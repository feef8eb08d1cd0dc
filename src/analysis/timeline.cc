// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline.h"

#include <algorithm>
#include <utility>

#include "analysis/time_range.h"

namespace sparkprof {
namespace {

// When tasks started and ended.
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

// Tasks are nearly in the order of their starts and ends, which makes sorting each of them fast.
std::vector<ConcurrencyStep> Sweep(Changes changes) {
  std::sort(changes.starts_ns.begin(), changes.starts_ns.end());
  std::sort(changes.ends_ns.begin(), changes.ends_ns.end());
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
  if (tasks.finish_ns[task] > 0) return tasks.finish_ns[task];
  return tasks.launch_ns[task] > 0 ? std::max(application_end_ns, tasks.launch_ns[task]) : 0;
}

std::vector<std::vector<ConcurrencyStep>> ConcurrencyOf(const Application& application) {
  const int64_t end_ns = RangeOf(application).end_ns;
  std::vector<Changes> changes(application.executors.size());
  const Tasks& tasks = application.tasks;
  for (size_t task = 0; task < tasks.Size(); ++task) {
    if (tasks.executor[task] < 0) continue;
    AddTask(application, task, end_ns, &changes[static_cast<size_t>(tasks.executor[task])]);
  }
  std::vector<std::vector<ConcurrencyStep>> concurrency;
  for (Changes& of_executor : changes) concurrency.push_back(Sweep(std::move(of_executor)));
  return concurrency;
}

std::vector<ConcurrencyStep> ConcurrencyOfAll(const Application& application) {
  const int64_t end_ns = RangeOf(application).end_ns;
  Changes changes;
  for (size_t task = 0; task < application.tasks.Size(); ++task) AddTask(application, task, end_ns, &changes);
  return Sweep(std::move(changes));
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

}  // namespace sparkprof
