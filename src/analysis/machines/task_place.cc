// SPDX-License-Identifier: Apache-2.0
#include "analysis/machines/task_place.h"

#include <algorithm>
#include <map>

namespace sparkprof {
namespace {

// A counter's value at a time, linearly interpolated.
double ValueAt(const std::vector<SeriesPoint>& points, int64_t time_ns) {
  const auto after = std::lower_bound(points.begin(), points.end(), time_ns,
                                      [](const SeriesPoint& point, int64_t time) { return point.time_ns < time; });
  if (after == points.begin()) return after->value;
  if (after == points.end()) return points.back().value;
  const SeriesPoint& before = *(after - 1);
  const double part =
      static_cast<double>(time_ns - before.time_ns) / static_cast<double>(after->time_ns - before.time_ns);
  return before.value + part * (after->value - before.value);
}

}  // namespace

TaskPlace PlaceOfTasks(const Application& application, const std::vector<uint32_t>& tasks) {
  TaskPlace place;
  for (const uint32_t task : tasks) {
    if (application.tasks.executor[task] >= 0) place.executors.insert(application.tasks.executor[task]);
    const int64_t launch_ns = application.tasks.launch_ns[task];
    if (launch_ns > 0 && (place.begin_ns == 0 || launch_ns < place.begin_ns)) place.begin_ns = launch_ns;
    place.end_ns = std::max(place.end_ns, application.tasks.finish_ns[task]);
  }
  return place;
}

std::optional<OwnUse> OwnUseOfTasks(const Application& application, const std::vector<uint32_t>& tasks) {
  const auto [executors, begin_ns, end_ns] = PlaceOfTasks(application, tasks);
  OwnUse use;
  std::map<int32_t, double> allowed;
  for (const ApplicationSeries& series : application.series) {
    if (series.name == "process.allowed_cpus" && !series.points.empty()) {
      allowed[series.executor] = series.points.back().value;
    }
  }
  for (const int32_t executor : executors) {
    const auto slots = static_cast<double>(application.executors[static_cast<size_t>(executor)].cores);
    const auto limit = allowed.find(executor);
    use.task_slots += slots;
    use.cpus += limit == allowed.end() ? slots : std::min(slots, limit->second);
  }
  double cpu_ns = 0;
  bool is_recorded = false;
  for (const ApplicationSeries& series : application.series) {
    if (series.name != "process.cpu_ns" || series.points.empty() || !executors.contains(series.executor)) continue;
    is_recorded = true;
    cpu_ns += ValueAt(series.points, end_ns) - ValueAt(series.points, begin_ns);
  }
  if (!is_recorded || end_ns <= begin_ns || use.task_slots <= 0) return std::nullopt;
  use.cores = cpu_ns / static_cast<double>(end_ns - begin_ns);
  return use;
}

}  // namespace sparkprof
