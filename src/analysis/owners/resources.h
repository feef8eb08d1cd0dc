// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/application.h"

namespace sparkprof {

// Resources that an application held in its cluster, and their usage. Bytes are 0 if unknown.
struct Resources {
  bool is_local = false;  // whether the driver runs the tasks
  int64_t duration_ns = 0;
  int64_t executors = 0;  // maximum number of concurrent executors with tasks
  int64_t cores_each = 0;
  int64_t heap_bytes = 0;       // per executor
  int64_t overhead_bytes = 0;   // per executor: the container's memory beyond the heap
  int64_t peak_heap_bytes = 0;  // executor with the highest use
  int64_t live_heap_bytes = 0;  // maximum left by collections in an executor; 0 = unknown
  int64_t peak_rest_bytes = 0;  // maximum over executors: resident memory beyond the usable heap
  double gc_share = 0;          // share of the task time
  int64_t spilled_bytes = 0;    // spilled to disk
  double core_hours = 0;        // from each executor's start to its end
  double gb_hours = 0;          // heap and overhead over that time; GB = 2^30 bytes

  std::string_view HeapSetting() const { return is_local ? "spark.driver.memory" : "spark.executor.memory"; }
  // GB-hours of `count` executors with this memory, each for the current time.
  double GbHours(int64_t count, int64_t bytes_each) const;
};

Resources ResourcesOf(const Application& application);

// A smaller heap for what a run used, with a margin, rounded to a usual size. 0 = keep the current one: it is not much
// larger, tasks spilled or collected garbage for a long time, or its use is unknown.
int64_t SmallerHeap(const Resources& use);

// Usual sizes: bytes rounded up, and as the value of a setting, "2560m" or "4g".
int64_t RoundedMemory(double bytes);
std::string MemoryText(int64_t bytes);

inline constexpr double kMuchGc = 0.1;          // minimum share of the task time
inline constexpr double kMaxSlowdown = 1.02;    // limit of the slowdown by a smaller heap
inline constexpr double kWorthChanging = 0.85;  // a new size above this fraction of the current one is not suggested

}  // namespace sparkprof
