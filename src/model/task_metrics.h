// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sparkprof {

// The metrics of a task, one column each in Tasks::metrics (application.h).
enum class TaskMetric : uint8_t {
  kDuration,
  kExecutorRunTime,
  kExecutorCpuTime,
  kDeserializeTime,
  kDeserializeCpuTime,
  kGcTime,
  kResultSerializationTime,
  kGettingResultTime,
  kSchedulerDelay,
  kResultSize,
  kPeakExecutionMemory,
  kMemorySpilled,
  kDiskSpilled,
  kInputBytes,
  kInputRecords,
  kOutputBytes,
  kOutputRecords,
  kShuffleReadBytes,
  kShuffleRemoteBytes,  // part of kShuffleReadBytes from other executors
  kShuffleReadRecords,
  kShuffleFetchWait,
  kShuffleWriteBytes,
  kShuffleWriteRecords,
  kShuffleWriteTime,
  kCpuSamples,  // weight of the cpu samples joined to the task
};
inline constexpr size_t kTaskMetricCount = static_cast<size_t>(TaskMetric::kCpuSamples) + 1;

struct TaskMetricText {
  std::string_view name;   // "executorRunTimeNs"
  std::string_view label;  // "Run time"
  std::string_view unit;   // "ns", "bytes" or "count"
  std::string_view about;  // description of table columns, as in TableColumn
};

// In the order of TaskMetric.
inline constexpr TaskMetricText kTaskMetricTexts[kTaskMetricCount] = {
    {"durationNs", "Duration", "ns", "from launch to finish"},
    {"executorRunTimeNs", "Run time", "ns", "time that the executor ran the task"},
    {"executorCpuTimeNs", "CPU time", "ns", "CPU time of the run, by Spark's count"},
    {"deserializeTimeNs", "Deserialization", "ns", "time to deserialize the task"},
    {"deserializeCpuTimeNs", "Deserialization CPU", "ns", "CPU time to deserialize the task"},
    {"gcTimeNs", "GC time", "ns", "time of the run during garbage collection"},
    {"resultSerializationTimeNs", "Result serialization", "ns", "time to serialize the result"},
    {"gettingResultTimeNs", "Getting result", "ns", "time in which the driver fetched the result"},
    {"schedulerDelayNs", "Scheduler delay", "ns", "time outside of the executor: sending the task, and its result"},
    {"resultSizeBytes", "Result size", "bytes", "size of the result"},
    {"peakExecutionMemoryBytes", "Peak execution memory", "bytes", "most memory of shuffles, aggregations and joins"},
    {"memorySpilledBytes", "Spilled (memory)", "bytes", "size in memory of the data that was spilled"},
    {"diskSpilledBytes", "Spilled (disk)", "bytes", "size on disk of the data that was spilled"},
    {"inputBytes", "Input", "bytes", "bytes read from storage"},
    {"inputRecords", "Input records", "count", "records read from storage"},
    {"outputBytes", "Output", "bytes", "bytes written to storage"},
    {"outputRecords", "Output records", "count", "records written to storage"},
    {"shuffleReadBytes", "Shuffle read", "bytes", "bytes read from the shuffle"},
    {"shuffleRemoteBytes", "Shuffle read from other executors", "bytes",
     "bytes read from the shuffle of other executors"},
    {"shuffleReadRecords", "Shuffle read records", "count", "records read from the shuffle"},
    {"shuffleFetchWaitNs", "Shuffle fetch wait", "ns", "time waited for blocks of the shuffle"},
    {"shuffleWriteBytes", "Shuffle write", "bytes", "bytes written to the shuffle"},
    {"shuffleWriteRecords", "Shuffle write records", "count", "records written to the shuffle"},
    {"shuffleWriteTimeNs", "Shuffle write time", "ns", "time to write to the shuffle"},
    {"cpuSamplesNs", "CPU samples", "ns", "CPU time by samples"},
};

constexpr const TaskMetricText& Text(TaskMetric metric) { return kTaskMetricTexts[static_cast<size_t>(metric)]; }

// The metrics that Spark records for each task, in the order of its REST API, where those of a group are contiguous.
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
