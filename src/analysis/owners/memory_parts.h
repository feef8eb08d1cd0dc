// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// Memory of an executor or the driver at one time, in bytes. The parts from heap_used to untracked add up to `total`,
// unless reserved memory is not resident; nullopt = not recorded.
struct MemoryParts {
  int32_t executor = -1;
  int64_t time_ns = 0;
  int64_t total = 0;  // resident memory of the JVM, plus `python`
  std::optional<int64_t> heap_used;
  std::optional<int64_t> metaspace;
  std::optional<int64_t> spark_off_heap;  // reserved by Spark's memory manager, also for a native engine
  std::optional<int64_t> direct_buffers;
  std::optional<int64_t> native;   // other native memory in use, from samples
  std::optional<int64_t> python;   // daemons, workers and the driver's program, shared pages counted once
  std::optional<int64_t> program;  // part for the driver's program
  // Parts of `python`: held by Python's and NumPy's allocators, from samples; Arrow's memory pool, by its own counter;
  // the rest.
  std::optional<int64_t> python_live, arrow, other_native;
  int64_t untracked = 0;  // rest of the JVM: resident free heap, thread stacks, code, and memory that is not recorded
  std::optional<int64_t> heap_committed, limit;  // not parts: capacity of the heap; limit of the container
};

// One entry per reading of the JVMs' resident memory, in order of executor and time.
std::vector<MemoryParts> MemoryOverTime(const Application& application);

}  // namespace sparkprof
