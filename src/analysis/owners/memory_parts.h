// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// The memory of an executor, or of the driver, at one time, in bytes. The parts from heap_used to untracked add up to
// `total`, unless reserved memory is not resident; nothing = not recorded.
struct MemoryParts {
  int32_t executor = -1;
  int64_t time_ns = 0;
  int64_t total = 0;  // resident memory of the JVM, and `python`
  std::optional<int64_t> heap_used;
  std::optional<int64_t> metaspace;
  std::optional<int64_t> spark_off_heap;  // reserved by Spark's memory manager, also for an engine
  std::optional<int64_t> direct_buffers;
  std::optional<int64_t> native;  // native memory in use beyond these two, by samples
  std::optional<int64_t> python;  // daemons and workers, shared pages once
  int64_t untracked = 0;  // of the JVM: free heap that is resident, thread stacks, code, and what is not recorded
  std::optional<int64_t> heap_committed, limit;  // no parts: capacity of the heap; limit of the container
};

// At each reading of the resident memory of the JVMs, in order of executor and time.
std::vector<MemoryParts> MemoryOverTime(const Application& application);

}  // namespace sparkprof
