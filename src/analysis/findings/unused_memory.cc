// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "analysis/findings/advice.h"
#include "analysis/findings/rules.h"
#include "analysis/selection/spark_settings.h"
#include "base/text.h"

namespace sparkprof {
namespace {

constexpr int64_t kLargeHeap = int64_t{4} << 30;  // bytes; less is not worth changing
constexpr double kLittleUsed = 0.4;               // of the heap
constexpr double kHeadroom = 1.5;                 // times the peak
constexpr int64_t kStep = int64_t{512} << 20;     // of a heap to set
constexpr int64_t kLeastHeap = int64_t{1} << 30;  // to set; Spark's default, and it refuses less than 450 MiB

struct HeapUse {
  int64_t peak_bytes = 0;
  int64_t heap_bytes = 0;  // the largest size; 0 = unknown
};

// Over all executors: Spark's peaks from the event log, and the series of a recording.
HeapUse HeapOfExecutors(const Application& application) {
  HeapUse use;
  const bool has_off_heap = IsEnabled(application, "spark.memory.offHeap.enabled");
  const int64_t off_heap_bytes = has_off_heap ? MemorySetting(application, "spark.memory.offHeap.size").value_or(0) : 0;
  for (const Executor& executor : application.executors) {
    for (const auto& [name, bytes] : executor.peak_metrics) {
      if (name == "JVMHeapMemory" && executor.id != "driver") use.peak_bytes = std::max(use.peak_bytes, bytes);
    }
    // Spark's unified memory is a known part of the heap: (heap - 300 MiB) x spark.memory.fraction, by default 0.6. Its
    // memory outside of the heap is the setting's.
    const int64_t in_heap = std::max<int64_t>(0, executor.max_memory_bytes - off_heap_bytes);
    if (executor.id != "driver")
      use.heap_bytes = std::max(use.heap_bytes, static_cast<int64_t>(static_cast<double>(in_heap) / 0.6));
  }
  for (const ApplicationSeries& series : application.series) {
    if (series.executor < 0 || application.executors[static_cast<size_t>(series.executor)].id == "driver") continue;
    for (const SeriesPoint& point : series.points) {
      if (series.name == "jvm.heap_used_bytes")
        use.peak_bytes = std::max(use.peak_bytes, static_cast<int64_t>(point.value));
      if (series.name == "jvm.heap_max_bytes")
        use.heap_bytes = std::max(use.heap_bytes, static_cast<int64_t>(point.value));
    }
  }
  // The setting is exact, where it is known.
  if (const auto set = MemorySetting(application, "spark.executor.memory")) use.heap_bytes = *set;
  return use;
}

}  // namespace

std::optional<Finding> FindUnusedMemory(const FindingInput& input) {
  const HeapUse use = HeapOfExecutors(input.application);
  if (use.peak_bytes == 0 || use.heap_bytes < kLargeHeap) return std::nullopt;
  const double share = Share(use.peak_bytes, use.heap_bytes);
  if (share > kLittleUsed) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Executors use at most {} of their heap", FormatShare(share));
  finding.what = fmt::format("The fullest executor's heap held {} of {}", FormatBytes(use.peak_bytes),
                             FormatBytes(use.heap_bytes));
  finding.evidence = "peaks of the executors' heaps";
  finding.condition = fmt::format("Heaps of at least {} are never filled to more than {}", FormatBytes(kLargeHeap),
                                  FormatShare(kLittleUsed));
  finding.selection.event = EventName(Event::kAlloc);
  const auto needed = static_cast<int64_t>(static_cast<double>(use.peak_bytes) * kHeadroom);
  const int64_t wanted = std::max(kLeastHeap, (needed + kStep - 1) / kStep * kStep);
  // Databricks derives the heap from the type of its nodes.
  finding.change = IsOnDatabricks(input.application)
                       ? std::string("Use a node type with less memory per core. This saves memory, not time")
                       : fmt::format(
                             "Set spark.executor.memory={}m, or use more cores per executor. This saves memory, "
                             "not time",
                             wanted >> 20);
  return finding;
}

}  // namespace sparkprof
