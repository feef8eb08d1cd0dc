// SPDX-License-Identifier: Apache-2.0
#include "analysis/owners/resources.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/machines/executor_memory.h"
#include "analysis/selection/spark_settings.h"
#include "analysis/selection/time_range.h"
#include "analysis/time/time_spent.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr double kGb = 1 << 30;
constexpr double kHourNs = 3600.0 * static_cast<double>(kNanosPerSecond);

int64_t Sum(const MetricColumn& column) {
  int64_t sum = 0;
  for (const int64_t value : column) sum += value;
  return sum;
}

// Maximum of a recorded series over the executors that `takes` accepts.
template <typename Takes>
int64_t LargestOf(const Application& application, std::string_view name, const Takes& takes) {
  double largest = 0;
  for (const ApplicationSeries& series : application.series) {
    if (series.name != name || series.executor < 0 ||
        !takes(application.executors[static_cast<size_t>(series.executor)]))
      continue;
    for (const SeriesPoint& point : series.points) largest = std::max(largest, point.value);
  }
  return static_cast<int64_t>(largest);
}

// Data left in the heap after collections, from values that follow a drop; 0 if there are too few.
template <typename Takes>
int64_t LiveHeapOf(const Application& application, const Takes& takes) {
  constexpr double kDrop = 0.8;  // relative to the previous value
  constexpr int kEnoughCollections = 3;
  double live = 0;
  bool is_known = false;
  for (const ApplicationSeries& series : application.series) {
    if (series.name != "jvm.heap_used_bytes" || series.executor < 0 ||
        !takes(application.executors[static_cast<size_t>(series.executor)]))
      continue;
    int collections = 0;
    double lowest_after = 0;
    for (size_t i = 1; i < series.points.size(); ++i) {
      if (series.points[i].value >= kDrop * series.points[i - 1].value) continue;
      ++collections;
      lowest_after = std::max(lowest_after, series.points[i].value);
    }
    // A rarely collected heap may be full of live data.
    if (collections < kEnoughCollections) return 0;
    is_known = true;
    live = std::max(live, lowest_after);
  }
  return is_known ? static_cast<int64_t>(live) : 0;
}

constexpr double kHeapMargin = 1.3;  // factor on the peak: the next run's data differ
constexpr double kTimesLive = 2,
                 kBesideLive = 300.0 * (1 << 20);  // factor on live data, and memory that Spark keeps free
constexpr int64_t kStep = int64_t{256} << 20, kLargeStep = int64_t{1} << 30;
constexpr int64_t kLarge = int64_t{8} << 30;
constexpr int64_t kLeastHeap = int64_t{1} << 30;  // Spark's default; it rejects less than 450 MiB

// Below its peak, a heap has twice the live data, and is not collected so much more often that tasks become noticeably
// slower.
double WantedHeap(const Resources& use) {
  const double by_peak = static_cast<double>(use.peak_heap_bytes) * kHeapMargin;
  if (use.live_heap_bytes == 0) return by_peak;
  const double by_live = static_cast<double>(use.live_heap_bytes) * kTimesLive + kBesideLive;
  // GC time grows as the heap shrinks.
  const double by_gc = static_cast<double>(use.heap_bytes) * use.gc_share / (use.gc_share + (kMaxSlowdown - 1));
  return std::min(by_peak, std::max(by_live, by_gc));
}

}  // namespace

double Resources::GbHours(int64_t count, int64_t bytes_each) const {
  if (executors <= 0 || heap_bytes + overhead_bytes <= 0) return 0;
  return gb_hours * static_cast<double>(count) / static_cast<double>(executors) * static_cast<double>(bytes_each) /
         static_cast<double>(heap_bytes + overhead_bytes);
}

Resources ResourcesOf(const Application& application) {
  Resources use;
  use.is_local = IsLocal(application);
  const TimeRange range = RangeOf(application);
  use.duration_ns = range.Duration();
  const auto runs_tasks = [&](const Executor& executor) { return use.is_local || executor.id != "driver"; };
  const std::vector<int64_t> peak_heaps = PeakHeapsOf(application);
  use.live_heap_bytes = LiveHeapOf(application, runs_tasks);
  const int64_t recorded_heap = LargestOf(application, "jvm.heap_max_bytes", runs_tasks);
  int64_t peak_tree_bytes = 0;
  double alive_ns = 0;
  const std::vector<int64_t> cores = CoresOf(application);
  for (size_t row = 0; row < application.executors.size(); ++row) {
    const Executor& executor = application.executors[row];
    if (!runs_tasks(executor)) continue;
    use.peak_heap_bytes = std::max(use.peak_heap_bytes, peak_heaps[row]);
    peak_tree_bytes = std::max(peak_tree_bytes, PeakOfProcesses(executor));
    use.cores_each = std::max(use.cores_each, cores[row]);
    const int64_t from = executor.add_ns > 0 ? executor.add_ns : range.start_ns;
    const int64_t to = executor.remove_ns > 0 ? executor.remove_ns : range.end_ns;
    const auto held_ns = static_cast<double>(std::max<int64_t>(0, to - from));
    alive_ns += held_ns;
    use.core_hours += held_ns / kHourNs * static_cast<double>(cores[row]);
  }
  if (use.cores_each > 0) use.executors = PeakCores(application) / use.cores_each;
  const std::optional<int64_t> set_heap = MemorySetting(application, use.HeapSetting());
  // If the environment is unknown, so is the setting.
  use.heap_bytes = set_heap                          ? *set_heap
                   : recorded_heap > 0               ? recorded_heap
                   : application.environment.empty() ? 0
                                                     : kDefaultHeap;
  if (!use.is_local && use.heap_bytes > 0) use.overhead_bytes = OverheadOf(application, use.heap_bytes);
  if (peak_tree_bytes > 0) use.peak_rest_bytes = std::max<int64_t>(0, peak_tree_bytes - use.heap_bytes);
  const Tasks& tasks = application.tasks;
  if (const int64_t time_ns = Sum(tasks.Column(TaskMetric::kDuration)); time_ns > 0) {
    use.gc_share = static_cast<double>(Sum(tasks.Column(TaskMetric::kGcTime))) / static_cast<double>(time_ns);
  }
  use.spilled_bytes = Sum(tasks.Column(TaskMetric::kDiskSpilled));
  use.gb_hours = alive_ns / kHourNs * static_cast<double>(use.heap_bytes + use.overhead_bytes) / kGb;
  return use;
}

int64_t SmallerHeap(const Resources& use) {
  if (use.heap_bytes == 0 || use.peak_heap_bytes == 0 || use.spilled_bytes > 0 || use.gc_share >= kMuchGc) return 0;
  const int64_t wanted = std::max(kLeastHeap, RoundedMemory(WantedHeap(use)));
  return static_cast<double>(wanted) > kWorthChanging * static_cast<double>(use.heap_bytes) ? 0 : wanted;
}

int64_t RoundedMemory(double bytes) {
  const int64_t step = bytes > static_cast<double>(kLarge) ? kLargeStep : kStep;
  return (static_cast<int64_t>(bytes) + step - 1) / step * step;
}

std::string MemoryText(int64_t bytes) {
  return bytes % (int64_t{1} << 30) == 0 ? fmt::format("{}g", bytes >> 30) : fmt::format("{}m", bytes >> 20);
}

}  // namespace sparkprof
