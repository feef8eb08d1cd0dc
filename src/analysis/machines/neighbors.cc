// SPDX-License-Identifier: Apache-2.0
#include "analysis/machines/neighbors.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/text/contains.h"
#include "base/text/text.h"
#include "base/time.h"

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

constexpr double kLeastCores = 0.05;
constexpr double kLeastDiskBytesPerSecond = 1 << 20;
// Minimum usage that may slow down tasks.
constexpr double kManyCores = 0.5;
constexpr double kMuchOfDisk = 50 << 20;

// The sum of the steps between two times; a step counts in proportion to its overlap.
double SumBetween(const Neighbor& neighbor, const std::vector<double>& steps, int64_t begin_ns, int64_t end_ns) {
  double sum = 0;
  for (size_t step = 0; step < steps.size(); ++step) {
    const int64_t step_begin_ns = neighbor.begin_ns + static_cast<int64_t>(step) * neighbor.step_ns;
    const int64_t within_ns = std::min(end_ns, step_begin_ns + neighbor.step_ns) - std::max(begin_ns, step_begin_ns);
    if (within_ns > 0) sum += steps[step] * static_cast<double>(within_ns) / static_cast<double>(neighbor.step_ns);
  }
  return sum;
}

bool RanBeside(const Application& application, const Neighbor& neighbor, const std::set<int32_t>& executors) {
  if (executors.empty()) return true;
  return std::ranges::any_of(executors, [&](int32_t row) {
    const std::string& id = application.executors[static_cast<size_t>(row)].id;
    return Contains(neighbor.executor_ids, id);
  });
}

std::string NameOf(const Neighbor& neighbor) {
  const std::string& name = neighbor.application_id.empty() ? neighbor.name : neighbor.application_id;
  return neighbor.user.empty() ? name : fmt::format("{} (user {})", name, neighbor.user);
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

std::vector<NeighborUse> NeighborsBetween(const Application& application, int64_t begin_ns, int64_t end_ns,
                                          const std::set<int32_t>& executors) {
  std::vector<NeighborUse> uses;
  if (end_ns <= begin_ns) return uses;
  const auto span_ns = static_cast<double>(end_ns - begin_ns);
  for (const Neighbor& neighbor : application.neighbors) {
    if (!RanBeside(application, neighbor, executors)) continue;
    NeighborUse use;
    use.neighbor = &neighbor;
    use.cores = SumBetween(neighbor, neighbor.cpu_ns, begin_ns, end_ns) / span_ns;
    use.disk_bytes_per_second = SumBetween(neighbor, neighbor.disk_bytes, begin_ns, end_ns) / span_ns * kNanosPerSecond;
    if (use.cores >= kLeastCores || use.disk_bytes_per_second >= kLeastDiskBytesPerSecond) uses.push_back(use);
  }
  std::ranges::stable_sort(uses, [](const NeighborUse& a, const NeighborUse& b) {
    return std::tuple(a.cores, a.disk_bytes_per_second) > std::tuple(b.cores, b.disk_bytes_per_second);
  });
  if (uses.size() > kMaxNeighbors) uses.resize(kMaxNeighbors);
  return uses;
}

std::vector<NeighborUse> NeighborsOfTasks(const Application& application, const std::vector<uint32_t>& tasks) {
  if (application.neighbors.empty()) return {};
  const TaskPlace place = PlaceOfTasks(application, tasks);
  return NeighborsBetween(application, place.begin_ns, place.end_ns, place.executors);
}

std::string NeighborText(const std::vector<NeighborUse>& uses) {
  for (const NeighborUse& use : uses) {
    const Neighbor& neighbor = *use.neighbor;
    const std::string who = fmt::format("on {}, {}", neighbor.host, NameOf(neighbor));
    if (use.cores >= kManyCores) {
      return neighbor.host_cores < 1
                 ? fmt::format("{} used {:.1f} cores meanwhile", who, use.cores)
                 : fmt::format("{} used {:.1f} of {:.0f} cores meanwhile", who, use.cores, neighbor.host_cores);
    }
    if (use.disk_bytes_per_second >= kMuchOfDisk) {
      return fmt::format("{} read and wrote {} per second meanwhile", who,
                         FormatBytes(static_cast<int64_t>(use.disk_bytes_per_second)));
    }
  }
  return {};
}

}  // namespace sparkprof
