// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "model/application.h"

namespace sparkprof {

// The part of its cluster that an application held, and what it used of that. Bytes are 0 where the input does not have
// them.
struct Resources {
  bool is_local = false;  // the driver runs the tasks
  int64_t duration_ns = 0;
  int64_t executors = 0;  // with tasks, at one time, at most
  int64_t cores_each = 0;
  int64_t heap_bytes = 0;       // of each
  int64_t overhead_bytes = 0;   // of each: of the container, besides the heap
  int64_t peak_heap_bytes = 0;  // of the fullest
  int64_t live_heap_bytes = 0;  // the most that collections left in one; 0 = not seen
  int64_t peak_rest_bytes = 0;  // of the largest: its processes' resident memory beyond the heap that they may use
  double gc_share = 0;          // of the tasks' time
  int64_t spilled_bytes = 0;    // to disk
  double core_hours = 0;        // from each executor's start to its end
  double gb_hours = 0;          // heap and overhead for that time; GB = 2^30 bytes

  std::string_view HeapSetting() const { return is_local ? "spark.driver.memory" : "spark.executor.memory"; }
  // GB-hours of so many executors with this memory, each for as long as now.
  double GbHours(int64_t count, int64_t bytes_each) const;
};

Resources ResourcesOf(const Application& application);

}  // namespace sparkprof
