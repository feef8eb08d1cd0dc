// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "model/application.h"

namespace sparkprof {

// Spark's defaults: spark.executor.memory, and MEMORY_OVERHEAD_MIN_MIB.
inline constexpr int64_t kDefaultHeap = int64_t{1} << 30;
inline constexpr int64_t kLeastOverhead = int64_t{384} << 20;

// One of Spark's executor metrics ("JVMHeapMemory"), 0 if the input does not have it.
int64_t PeakOf(const Executor& executor, std::string_view metric);

// Resident memory of the executor's processes by Spark's executor metrics, 0 if the input does not have it.
int64_t PeakOfProcesses(const Executor& executor);

// Memory of a container beside a heap of this size: as set, or Spark's default for it.
int64_t OverheadOf(const Application& application, int64_t heap_bytes);

// The memory for storage and execution of the executors that are there; 0 = unknown.
int64_t StorageMemory(const Application& application);

}  // namespace sparkprof
