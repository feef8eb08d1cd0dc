// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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
  int64_t peak_heap_bytes = 0;  // of the executor with the highest use
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

}  // namespace sparkprof
