// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/rules.h"
#include "analysis/machines/executor_memory.h"
#include "analysis/owners/resources.h"
#include "analysis/time/stage_totals.h"

namespace sparkprof {
namespace {

constexpr int64_t kWorthwhileHeap = int64_t{4} << 30;  // bytes; smaller heaps are not worth changing
constexpr double kLittleUsed = 0.4;                    // share of the heap

constexpr double kNearlyFull = 0.9;      // share of a heap; see kContainerFull for containers
constexpr double kContainerFull = 0.95;  // share of a container's limit, beyond which it is killed
constexpr double kHeapHeadroom = 1.5;    // times the heap
constexpr char kDriverMemory[] = "spark.driver.memory";
constexpr char kExecutorMemory[] = "spark.executor.memory";

struct Fill {
  std::string executor;
  std::string setting;  // setting for its size
  int64_t used_bytes = 0;
  int64_t limit_bytes = 0;
  double gc_share = 0;
  bool is_beside_executors = false;  // a driver that runs no tasks
};

double Largest(const Application& application, std::string_view name, int32_t executor) {
  double largest = 0;
  for (const ApplicationSeries& series : application.series) {
    if (series.name != name || series.executor != executor) continue;
    for (const SeriesPoint& point : series.points) largest = std::max(largest, point.value);
  }
  return largest;
}

// The share of time that a driver without tasks, and so without task metrics, spends in GC.
double GcShareOfDriver(const Application& application, int32_t executor) {
  const TimeRange range = RangeOf(application);
  const int64_t gc_ns =
      std::max(static_cast<int64_t>(Largest(application, "jvm.gc_time_ns", executor)),
               PeakOf(application.executors[static_cast<size_t>(executor)], "TotalGCTime") * kNanosPerMilli);
  return Share(gc_ns, range.end_ns - range.start_ns);
}

// The fullest heap that was nearly full and spent much task time in GC. A full heap alone depends on the collector.
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
    // Without an environment, the setting is unknown.
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

std::optional<Fill> FullContainer(const Application& application) {
  const std::optional<int64_t> limit = ContainerLimit(application);
  if (!limit) return std::nullopt;
  std::optional<Fill> fullest;
  for (size_t row = 0; row < application.executors.size(); ++row) {
    const Executor& executor = application.executors[row];
    // Resource profiles have their own limits.
    if (executor.id == "driver" || executor.resource_profile != 0) continue;
    const int64_t by_spark = PeakOfProcesses(executor);
    const int64_t recorded = LargestTree(application, static_cast<int32_t>(row));
    const Fill fill{executor.id, kOverheadSetting, recorded > 0 ? recorded : by_spark, *limit};
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
  finding.change = fmt::format(
      "Set {}={}, or {}", heap.setting, SizeToSet(static_cast<double>(heap.limit_bytes) * kHeapHeadroom),
      heap.is_beside_executors ? "leave rows in the executors: collect and broadcast less, and keep fewer queries in "
                                 "the UI (spark.sql.ui.retainedExecutions, spark.ui.retainedTasks)"
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
  finding.change =
      fmt::format("{}, or use fewer cores per executor", OverheadAdvice(application, container.used_bytes));
  return finding;
}

}  // namespace

std::optional<Finding> FindUnusedMemory(const FindingInput& input) {
  const Resources use = ResourcesOf(input.application);
  const int64_t wanted = SmallerHeap(use);
  const double share = Share(use.peak_heap_bytes, use.heap_bytes);
  if (use.is_local || wanted == 0 || use.heap_bytes < kWorthwhileHeap || share > kLittleUsed) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Executors use at most {} of their heap", FormatShare(share));
  finding.what = fmt::format("The fullest executor's heap held {} of {}", FormatBytes(use.peak_heap_bytes),
                             FormatBytes(use.heap_bytes));
  finding.evidence = "peaks of the executors' heaps";
  finding.condition = fmt::format(
      "Heaps of at least {} are never filled to more than {}, and no task spills or collects garbage for long",
      FormatBytes(kWorthwhileHeap), FormatShare(kLittleUsed));
  finding.selection.event = EventName(Event::kAlloc);
  finding.change =
      IsOnDatabricks(input.application)
          ? std::string("Use a node type with less memory per core. This saves memory, not time")
          : fmt::format("Set spark.executor.memory={}, or use more cores per executor. This saves memory, not time",
                        MemoryText(wanted));
  return finding;
}

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
      "time), or the processes of an executor hold at least {} of its container's limit",
      FormatShare(kNearlyFull), FormatShare(kMuchOfTime), FormatShare(kContainerFull));
  finding.selection.event = EventName(Event::kAlloc);
  finding.selection.executor = fill.executor;
  return finding;
}

}  // namespace sparkprof
