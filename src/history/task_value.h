// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace sparkprof {

// The metrics of a task, in Spark's units (ms, ns for CPU and write time, bytes) and in the order of its REST API.
enum class TaskValue : uint8_t {
  kDeserializeTime,
  kDeserializeCpuTime,
  kRunTime,
  kCpuTime,
  kResultSize,
  kGcTime,
  kResultSerializationTime,
  kMemorySpilled,
  kDiskSpilled,
  kPeakExecutionMemory,
  kInputBytes,
  kInputRecords,
  kOutputBytes,
  kOutputRecords,
  kRemoteBlocks,
  kLocalBlocks,
  kFetchWaitTime,
  kRemoteBytes,
  kRemoteBytesToDisk,
  kLocalBytes,
  kReadRecords,
  kRemoteRequestTime,
  kCorruptMergedChunks,  // from here on: push-based shuffle
  kMergedFallbacks,
  kRemoteMergedBlocks,
  kLocalMergedBlocks,
  kRemoteMergedChunks,
  kLocalMergedChunks,
  kRemoteMergedBytes,
  kLocalMergedBytes,
  kRemoteMergedRequestTime,
  kWriteBytes,
  kWriteTime,
  kWriteRecords,
};
inline constexpr size_t kTaskValueCount = static_cast<size_t>(TaskValue::kWriteRecords) + 1;

// One number for each TaskValue.
struct HistoryTaskValues {
  std::array<int64_t, kTaskValueCount> numbers{};

  int64_t& operator[](TaskValue value) { return numbers[static_cast<size_t>(value)]; }
  int64_t operator[](TaskValue value) const { return numbers[static_cast<size_t>(value)]; }
};

}  // namespace sparkprof
