// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <array>
#include <cstdint>
#include <string_view>

namespace sparkprof {

// Spark's executor metrics for memory and garbage collection (ExecutorMetricType of Spark 4.1), in its order.
inline constexpr std::string_view kExecutorMetricNames[] = {
    "JVMHeapMemory",
    "JVMOffHeapMemory",
    "OnHeapExecutionMemory",
    "OffHeapExecutionMemory",
    "OnHeapStorageMemory",
    "OffHeapStorageMemory",
    "OnHeapUnifiedMemory",
    "OffHeapUnifiedMemory",
    "DirectPoolMemory",
    "MappedPoolMemory",
    "ProcessTreeJVMVMemory",
    "ProcessTreeJVMRSSMemory",
    "ProcessTreePythonVMemory",
    "ProcessTreePythonRSSMemory",
    "ProcessTreeOtherVMemory",
    "ProcessTreeOtherRSSMemory",
    "MinorGCCount",
    "MinorGCTime",
    "MajorGCCount",
    "MajorGCTime",
    "TotalGCTime",
    "ConcurrentGCCount",
    "ConcurrentGCTime",
};
inline constexpr size_t kExecutorMetricCount = std::size(kExecutorMetricNames);
inline constexpr size_t kTotalGcTimeMetric = 20;  // index in the list above
static_assert(kExecutorMetricNames[kTotalGcTimeMetric] == "TotalGCTime");

using ExecutorMetricValues = std::array<int64_t, kExecutorMetricCount>;

// Reads the metrics by name; missing ones are 0.
ExecutorMetricValues ReadExecutorMetrics(const simdjson::dom::object& metrics);

struct ExecutorPeaks {
  bool is_set = false;
  ExecutorMetricValues values{};

  void Update(const ExecutorMetricValues& seen);
};

}  // namespace sparkprof
