// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// Spark's defaults: spark.executor.memory, and MEMORY_OVERHEAD_MIN_MIB.
inline constexpr int64_t kDefaultHeap = int64_t{1} << 30;
inline constexpr int64_t kLeastOverhead = int64_t{384} << 20;

inline constexpr std::string_view kPeakHeap = "JVMHeapMemory";

// One of Spark's executor metrics (kPeakHeap); 0 = unknown.
int64_t PeakOf(const Executor& executor, std::string_view metric);

// Largest used heap of each executor (row), by Spark's executor metrics and by the JVM's own counter: either may miss a
// peak between two readings. 0 = unknown.
std::vector<int64_t> PeakHeapsOf(const Application& application);

// Resident memory of the executor's processes, from Spark's executor metrics; 0 = unknown.
int64_t PeakOfProcesses(const Executor& executor);

// Factor of the container's overhead relative to the heap, if a setting exists: Spark's, that of older versions on
// Kubernetes, or EMR's own on YARN.
std::optional<double> OverheadFactor(const Application& application);

// A container's memory in addition to a heap of this size: as set, by the factor, or Spark's default.
int64_t OverheadOf(const Application& application, int64_t heap_bytes);

// Memory for storage and execution of the current executors; 0 = unknown.
int64_t StorageMemory(const Application& application);

inline constexpr char kOverheadSetting[] = "spark.executor.memoryOverhead";

// Memory that the processes of an executor (row) held together at most, as YARN and the kernel add it up; 0 = not
// recorded.
int64_t LargestTree(const Application& application, int32_t executor);

// Memory that the cluster manager grants an executor's processes; nullopt if there is no such limit or it is unknown.
std::optional<int64_t> ContainerLimit(const Application& application);

// For an executor whose processes hold that much: "Set spark.executor.memoryOverhead=1536m (now 384 MiB)". Requires a
// ContainerLimit.
std::string OverheadAdvice(const Application& application, int64_t bytes);

// A size that a person would set: "1536m".
std::string SizeToSet(double bytes);

}  // namespace sparkprof
