// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline.h"

#include <algorithm>
#include <utility>

#include "analysis/time_range.h"

namespace sparkprof {

int64_t TaskEnd(const Application& application, size_t task, int64_t application_end_ns) {
  const Tasks& tasks = application.tasks;
  if (tasks.finish_ns[task] > 0) return tasks.finish_ns[task];
  return tasks.launch_ns[task] > 0 ? std::max(application_end_ns, tasks.launch_ns[task]) : 0;
}

std::vector<std::vector<ConcurrencyStep>> ConcurrencyOf(const Application& application) {
  const int64_t end_ns = RangeOf(application).end_ns;
  std::vector<std::vector<std::pair<int64_t, int32_t>>> changes(application.executors.size());
  const Tasks& tasks = application.tasks;
  for (size_t task = 0; task < tasks.Size(); ++task) {
    if (tasks.executor[task] < 0 || tasks.launch_ns[task] <= 0) continue;
    auto& of_executor = changes[static_cast<size_t>(tasks.executor[task])];
    of_executor.emplace_back(tasks.launch_ns[task], 1);
    of_executor.emplace_back(TaskEnd(application, task, end_ns), -1);
  }
  std::vector<std::vector<ConcurrencyStep>> concurrency(changes.size());
  for (size_t executor = 0; executor < changes.size(); ++executor) {
    std::sort(changes[executor].begin(), changes[executor].end());
    int32_t running = 0;
    std::vector<ConcurrencyStep>& steps = concurrency[executor];
    for (const auto& [time_ns, change] : changes[executor]) {
      running += change;
      if (!steps.empty() && steps.back().time_ns == time_ns) {
        steps.back().running = running;
      } else {
        steps.push_back({time_ns, running});
      }
    }
  }
  return concurrency;
}

int32_t Peak(const std::vector<ConcurrencyStep>& steps) {
  int32_t peak = 0;
  for (const ConcurrencyStep& step : steps) peak = std::max(peak, step.running);
  return peak;
}

}  // namespace sparkprof
