// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/findings/advice.h"
#include "analysis/findings/rules.h"
#include "analysis/machines/executor_memory.h"
#include "analysis/selection/spark_settings.h"
#include "analysis/selection/time_range.h"
#include "analysis/time/stage_totals.h"
#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr double kNearlyFull = 0.9;                // of a heap; of a container it is kContainerFull
constexpr double kContainerFull = 0.95;            // beyond its limit it is killed
constexpr double kHeapHeadroom = 1.5;              // times the heap
constexpr double kContainerHeadroom = 1.15;        // times what the processes held
constexpr int64_t kStep = int64_t{512} << 20;      // sizes that a person would set
constexpr int64_t kGoneNs = 15 * kNanosPerSecond;  // without a reading, a process has ended
constexpr char kDriverMemory[] = "spark.driver.memory";
constexpr char kExecutorMemory[] = "spark.executor.memory";
constexpr char kOverhead[] = "spark.executor.memoryOverhead";

struct Fill {
  std::string executor;
  std::string setting;  // its size is set with this
  int64_t used_bytes = 0;
  int64_t limit_bytes = 0;
  double gc_share = 0;
  bool is_beside_executors = false;  // a driver without tasks
};

double Largest(const Application& application, std::string_view name, int32_t executor) {
  double largest = 0;
  for (const ApplicationSeries& series : application.series) {
    if (series.name != name || series.executor != executor) continue;
    for (const SeriesPoint& point : series.points) largest = std::max(largest, point.value);
  }
  return largest;
}

std::string RoundedUp(double bytes) {
  const auto wanted = static_cast<int64_t>(bytes);
  return fmt::format("{}m", (wanted + kStep - 1) / kStep * kStep >> 20);
}

// How much of the time a driver beside executors collects garbage: it has no tasks with metrics.
double GcShareOfDriver(const Application& application, int32_t executor) {
  const TimeRange range = RangeOf(application);
  const int64_t gc_ns =
      std::max(static_cast<int64_t>(Largest(application, "jvm.gc_time_ns", executor)),
               PeakOf(application.executors[static_cast<size_t>(executor)], "TotalGCTime") * kNanosPerMilli);
  return Share(gc_ns, range.end_ns - range.start_ns);
}

// The fullest heap of those that were nearly full and collected garbage for much of their tasks' time. A full heap
// alone is a matter of the collector.
std::optional<Fill> FullHeap(const Application& application) {
  const bool is_local = IsLocal(application);
  const std::vector<ExecutorTotals> totals = TotalsOfExecutors(application);
  const std::vector<int64_t> peak_heaps = PeakHeapsOf(application);
  std::optional<Fill> fullest;
  for (size_t row = 0; row < application.executors.size(); ++row) {
    const Executor& executor = application.executors[row];
    const bool is_driver = executor.id == "driver";
    Fill fill{executor.id, is_driver ? kDriverMemory : kExecutorMemory};
    const auto at = static_cast<int32_t>(row);
    fill.used_bytes = peak_heaps[row];
    const auto recorded = static_cast<int64_t>(Largest(application, "jvm.heap_max_bytes", at));
    const auto set = MemorySetting(application, fill.setting);
    // The setting is unknown where there is no environment at all.
    if (recorded == 0 && !set && application.environment.empty()) continue;
    fill.limit_bytes = recorded > 0 ? recorded : set.value_or(kDefaultHeap);
    fill.gc_share =
        is_driver && !is_local ? GcShareOfDriver(application, at) : Share(totals[row].gc_ns, totals[row].duration_ns);
    fill.is_beside_executors = is_driver && !is_local;
    if (Share(fill.used_bytes, fill.limit_bytes) < kNearlyFull || fill.gc_share < kMuchOfTime) continue;
    if (!fullest || fill.gc_share > fullest->gc_share) fullest = fill;
  }
  return fullest;
}

// Memory that the processes of an executor held together at most, as YARN and the kernel add it up.
int64_t LargestTree(const Application& application, int32_t executor) {
  struct Reading {
    int64_t time_ns = 0;
    int32_t process = -1;
    double bytes = 0;
  };
  std::vector<Reading> readings;
  for (const ApplicationSeries& series : application.series) {
    if (series.name != "process.rss_bytes" || series.executor != executor) continue;
    if (series.process < 0 || application.processes[static_cast<size_t>(series.process)].process.role == "agent")
      continue;
    for (const SeriesPoint& point : series.points) readings.push_back({point.time_ns, series.process, point.value});
  }
  std::sort(readings.begin(), readings.end(), [](const Reading& a, const Reading& b) { return a.time_ns < b.time_ns; });
  std::unordered_map<int32_t, Reading> last;
  double largest = 0;
  for (const Reading& reading : readings) {
    last[reading.process] = reading;
    std::erase_if(last, [&](const auto& each) { return each.second.time_ns < reading.time_ns - kGoneNs; });
    double sum = 0;
    for (const auto& each : last) sum += each.second.bytes;
    largest = std::max(largest, sum);
  }
  return static_cast<int64_t>(largest);
}

int64_t HeapOf(const Application& application) {
  return MemorySetting(application, kExecutorMemory).value_or(kDefaultHeap);
}

int64_t OverheadOf(const Application& application) { return OverheadOf(application, HeapOf(application)); }

// Memory that the cluster manager grants an executor's processes; nothing if there is no such limit or it is unknown.
std::optional<int64_t> ContainerLimit(const Application& application) {
  const bool is_kubernetes = application.master.starts_with("k8s");
  if (!is_kubernetes && !application.master.starts_with("yarn")) return std::nullopt;
  // On Kubernetes the default depends on the language of the program.
  if (is_kubernetes && !SettingOf(application, kOverhead) && !OverheadFactor(application)) return std::nullopt;
  int64_t limit = HeapOf(application) + OverheadOf(application);
  limit += MemorySetting(application, "spark.executor.pyspark.memory").value_or(0);
  if (IsEnabled(application, "spark.memory.offHeap.enabled"))
    limit += MemorySetting(application, "spark.memory.offHeap.size").value_or(0);
  return limit;
}

std::optional<Fill> FullContainer(const Application& application) {
  const std::optional<int64_t> limit = ContainerLimit(application);
  if (!limit) return std::nullopt;
  std::optional<Fill> fullest;
  for (size_t row = 0; row < application.executors.size(); ++row) {
    const Executor& executor = application.executors[row];
    // Profiles of resources have limits of their own.
    if (executor.id == "driver" || executor.resource_profile != 0) continue;
    const int64_t by_spark = PeakOfProcesses(executor);
    const int64_t recorded = LargestTree(application, static_cast<int32_t>(row));
    const Fill fill{executor.id, kOverhead, recorded > 0 ? recorded : by_spark, *limit};
    if (Share(fill.used_bytes, fill.limit_bytes) < kContainerFull) continue;
    if (!fullest || fill.used_bytes > fullest->used_bytes) fullest = fill;
  }
  return fullest;
}

Finding HeapFinding(const Fill& heap) {
  Finding finding;
  finding.title = fmt::format("The heap of {}{} is too small: {} full, and GC takes {} of its {}",
                              heap.executor == "driver" ? "the " : "executor ", heap.executor,
                              FormatShare(Share(heap.used_bytes, heap.limit_bytes)), FormatShare(heap.gc_share),
                              heap.is_beside_executors ? "time" : "tasks' time");
  finding.what =
      fmt::format("The heap held up to {} of {}", FormatBytes(heap.used_bytes), FormatBytes(heap.limit_bytes));
  finding.change =
      fmt::format("Set {}={}, or {}", heap.setting, RoundedUp(static_cast<double>(heap.limit_bytes) * kHeapHeadroom),
                  heap.is_beside_executors
                      ? "leave rows in the executors: collect and broadcast less, and keep fewer queries in the UI "
                        "(spark.sql.ui.retainedExecutions, spark.ui.retainedTasks)"
                  : heap.setting == std::string_view(kDriverMemory)
                      ? "use fewer cores (local[N]) so that fewer tasks share the heap"
                      : "use fewer cores per executor so that fewer tasks share the heap");
  return finding;
}

Finding ContainerFinding(const Application& application, const Fill& container) {
  Finding finding;
  finding.title = fmt::format("Executor {} is close to its memory limit: {} of {}", container.executor,
                              FormatBytes(container.used_bytes), FormatBytes(container.limit_bytes));
  finding.what = fmt::format("The processes of executor {} held up to {}; beyond {} the cluster manager kills them",
                             container.executor, FormatBytes(container.used_bytes), FormatBytes(container.limit_bytes));
  const int64_t others = container.limit_bytes - OverheadOf(application);
  const double wanted = static_cast<double>(container.used_bytes) * kContainerHeadroom - static_cast<double>(others);
  finding.change = fmt::format("Set {}={} (now {}), or use fewer cores per executor", kOverhead, RoundedUp(wanted),
                               FormatBytes(OverheadOf(application)));
  return finding;
}

}  // namespace

std::optional<Finding> FindLowMemory(const FindingInput& input) {
  const Application& application = input.application;
  const std::optional<Fill> container = FullContainer(application);
  const std::optional<Fill> heap = container ? std::nullopt : FullHeap(application);
  if (!container && !heap) return std::nullopt;
  const Fill& fill = container ? *container : *heap;
  Finding finding = container ? ContainerFinding(application, fill) : HeapFinding(fill);
  finding.risk = kRiskAtLimit;
  finding.evidence = container ? "resident memory of the executor's processes" : "peaks of the executors' heaps";
  finding.condition = fmt::format(
      "A heap is at least {} full and GC takes at least {} of the time of its tasks (of a driver without tasks, of its "
      "time), or the processes of an executor "
      "hold at least {} of its container's limit",
      FormatShare(kNearlyFull), FormatShare(kMuchOfTime), FormatShare(kContainerFull));
  finding.selection.event = EventName(Event::kAlloc);
  finding.selection.executor = fill.executor;
  return finding;
}

}  // namespace sparkprof
