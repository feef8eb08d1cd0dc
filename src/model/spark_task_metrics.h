// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/application.h"

namespace sparkprof {

// Per-task metrics of Spark in the order of its REST API, in which the metrics of a group are contiguous.
enum class SparkTaskMetric : uint8_t {
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
  kCorruptMergedChunks,  // push-based shuffle from here on
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
inline constexpr size_t kSparkTaskMetricCount = static_cast<size_t>(SparkTaskMetric::kWriteRecords) + 1;

// Marks a metric without a column in Tasks.
inline constexpr auto kNoTaskColumn = static_cast<TaskMetric>(kTaskMetricCount);

struct SparkTaskMetricNames {
  std::string_view group;  // object within "Task Metrics" of event logs; empty = "Task Metrics" itself
  std::string_view event;  // name in this object
  std::string_view task;   // name in taskMetrics of REST's tasks: "inputMetrics.bytesRead"
  std::string_view stage;  // name in REST's stages: "inputBytes"
  bool in_millis = false;  // unit in events and REST is ms; columns of Tasks have ns
  TaskMetric column = kNoTaskColumn;

  constexpr bool HasColumn() const { return column != kNoTaskColumn; }
  // The last part of `task`.
  constexpr std::string_view Member() const { return task.substr(task.rfind('.') + 1); }
};

// In the order of SparkTaskMetric. The column of local bytes also includes remote ones.
inline constexpr SparkTaskMetricNames kSparkTaskMetrics[kSparkTaskMetricCount] = {
    {"", "Executor Deserialize Time", "executorDeserializeTime", "executorDeserializeTime", true,
     TaskMetric::kDeserializeTime},
    {"", "Executor Deserialize CPU Time", "executorDeserializeCpuTime", "executorDeserializeCpuTime", false,
     TaskMetric::kDeserializeCpuTime},
    {"", "Executor Run Time", "executorRunTime", "executorRunTime", true, TaskMetric::kExecutorRunTime},
    {"", "Executor CPU Time", "executorCpuTime", "executorCpuTime", false, TaskMetric::kExecutorCpuTime},
    {"", "Result Size", "resultSize", "resultSize", false, TaskMetric::kResultSize},
    {"", "JVM GC Time", "jvmGcTime", "jvmGcTime", true, TaskMetric::kGcTime},
    {"", "Result Serialization Time", "resultSerializationTime", "resultSerializationTime", true,
     TaskMetric::kResultSerializationTime},
    {"", "Memory Bytes Spilled", "memoryBytesSpilled", "memoryBytesSpilled", false, TaskMetric::kMemorySpilled},
    {"", "Disk Bytes Spilled", "diskBytesSpilled", "diskBytesSpilled", false, TaskMetric::kDiskSpilled},
    {"", "Peak Execution Memory", "peakExecutionMemory", "peakExecutionMemory", false,
     TaskMetric::kPeakExecutionMemory},
    {"Input Metrics", "Bytes Read", "inputMetrics.bytesRead", "inputBytes", false, TaskMetric::kInputBytes},
    {"Input Metrics", "Records Read", "inputMetrics.recordsRead", "inputRecords", false, TaskMetric::kInputRecords},
    {"Output Metrics", "Bytes Written", "outputMetrics.bytesWritten", "outputBytes", false, TaskMetric::kOutputBytes},
    {"Output Metrics", "Records Written", "outputMetrics.recordsWritten", "outputRecords", false,
     TaskMetric::kOutputRecords},
    {"Shuffle Read Metrics", "Remote Blocks Fetched", "shuffleReadMetrics.remoteBlocksFetched",
     "shuffleRemoteBlocksFetched"},
    {"Shuffle Read Metrics", "Local Blocks Fetched", "shuffleReadMetrics.localBlocksFetched",
     "shuffleLocalBlocksFetched"},
    {"Shuffle Read Metrics", "Fetch Wait Time", "shuffleReadMetrics.fetchWaitTime", "shuffleFetchWaitTime", true,
     TaskMetric::kShuffleFetchWait},
    {"Shuffle Read Metrics", "Remote Bytes Read", "shuffleReadMetrics.remoteBytesRead", "shuffleRemoteBytesRead", false,
     TaskMetric::kShuffleRemoteBytes},
    {"Shuffle Read Metrics", "Remote Bytes Read To Disk", "shuffleReadMetrics.remoteBytesReadToDisk",
     "shuffleRemoteBytesReadToDisk"},
    {"Shuffle Read Metrics", "Local Bytes Read", "shuffleReadMetrics.localBytesRead", "shuffleLocalBytesRead", false,
     TaskMetric::kShuffleReadBytes},
    {"Shuffle Read Metrics", "Total Records Read", "shuffleReadMetrics.recordsRead", "shuffleReadRecords", false,
     TaskMetric::kShuffleReadRecords},
    {"Shuffle Read Metrics", "Remote Requests Duration", "shuffleReadMetrics.remoteReqsDuration",
     "shuffleRemoteReqsDuration"},
    {"Push Based Shuffle", "Corrupt Merged Block Chunks",
     "shuffleReadMetrics.shufflePushReadMetrics.corruptMergedBlockChunks", "shuffleCorruptMergedBlockChunks"},
    {"Push Based Shuffle", "Merged Fetch Fallback Count",
     "shuffleReadMetrics.shufflePushReadMetrics.mergedFetchFallbackCount", "shuffleMergedFetchFallbackCount"},
    {"Push Based Shuffle", "Merged Remote Blocks Fetched",
     "shuffleReadMetrics.shufflePushReadMetrics.remoteMergedBlocksFetched", "shuffleMergedRemoteBlocksFetched"},
    {"Push Based Shuffle", "Merged Local Blocks Fetched",
     "shuffleReadMetrics.shufflePushReadMetrics.localMergedBlocksFetched", "shuffleMergedLocalBlocksFetched"},
    {"Push Based Shuffle", "Merged Remote Chunks Fetched",
     "shuffleReadMetrics.shufflePushReadMetrics.remoteMergedChunksFetched", "shuffleMergedRemoteChunksFetched"},
    {"Push Based Shuffle", "Merged Local Chunks Fetched",
     "shuffleReadMetrics.shufflePushReadMetrics.localMergedChunksFetched", "shuffleMergedLocalChunksFetched"},
    {"Push Based Shuffle", "Merged Remote Bytes Read",
     "shuffleReadMetrics.shufflePushReadMetrics.remoteMergedBytesRead", "shuffleMergedRemoteBytesRead"},
    {"Push Based Shuffle", "Merged Local Bytes Read", "shuffleReadMetrics.shufflePushReadMetrics.localMergedBytesRead",
     "shuffleMergedLocalBytesRead"},
    {"Push Based Shuffle", "Merged Remote Requests Duration",
     "shuffleReadMetrics.shufflePushReadMetrics.remoteMergedReqsDuration", "shuffleMergedRemoteReqsDuration"},
    {"Shuffle Write Metrics", "Shuffle Bytes Written", "shuffleWriteMetrics.bytesWritten", "shuffleWriteBytes", false,
     TaskMetric::kShuffleWriteBytes},
    {"Shuffle Write Metrics", "Shuffle Write Time", "shuffleWriteMetrics.writeTime", "shuffleWriteTime", false,
     TaskMetric::kShuffleWriteTime},
    {"Shuffle Write Metrics", "Shuffle Records Written", "shuffleWriteMetrics.recordsWritten", "shuffleWriteRecords",
     false, TaskMetric::kShuffleWriteRecords},
};

constexpr const SparkTaskMetricNames& NamesOf(SparkTaskMetric metric) {
  return kSparkTaskMetrics[static_cast<size_t>(metric)];
}

}  // namespace sparkprof
