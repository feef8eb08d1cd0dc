// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/text/text.h"
#include "history/answer_parts.h"

namespace sparkprof {
namespace {

// Writes the members from `first` to `last` of a task's metrics.
void WriteValues(const TaskColumns& tasks, uint32_t row, SparkTaskMetric first, SparkTaskMetric last,
                 JsonWriter* json) {
  for (auto value = static_cast<size_t>(first); value <= static_cast<size_t>(last); ++value)
    json->Member(kSparkTaskMetrics[value].Member(), tasks.Value(row, static_cast<SparkTaskMetric>(value)));
}

void WriteMetrics(const TaskColumns& tasks, uint32_t row, JsonWriter* json) {
  json->Key("taskMetrics").BeginObject();
  WriteValues(tasks, row, SparkTaskMetric::kDeserializeTime, SparkTaskMetric::kPeakExecutionMemory, json);
  json->Key("inputMetrics").BeginObject();
  WriteValues(tasks, row, SparkTaskMetric::kInputBytes, SparkTaskMetric::kInputRecords, json);
  json->EndObject().Key("outputMetrics").BeginObject();
  WriteValues(tasks, row, SparkTaskMetric::kOutputBytes, SparkTaskMetric::kOutputRecords, json);
  json->EndObject().Key("shuffleReadMetrics").BeginObject();
  WriteValues(tasks, row, SparkTaskMetric::kRemoteBlocks, SparkTaskMetric::kRemoteRequestTime, json);
  json->Key("shufflePushReadMetrics").BeginObject();
  WriteValues(tasks, row, SparkTaskMetric::kCorruptMergedChunks, SparkTaskMetric::kRemoteMergedRequestTime, json);
  json->EndObject().EndObject().Key("shuffleWriteMetrics").BeginObject();
  WriteValues(tasks, row, SparkTaskMetric::kWriteBytes, SparkTaskMetric::kWriteRecords, json);
  json->EndObject().EndObject();
}

int64_t GettingResultTime(const TaskColumns& tasks, uint32_t row) {
  if (tasks.result_fetch_ms[row] <= 0 || tasks.duration_ms[row] <= 0) return 0;
  return tasks.launch_ms[row] + tasks.duration_ms[row] - tasks.result_fetch_ms[row];
}

int64_t SchedulerDelay(const TaskColumns& tasks, uint32_t row) {
  return std::max<int64_t>(0, tasks.duration_ms[row] - tasks.Value(row, SparkTaskMetric::kRunTime) -
                                  tasks.Value(row, SparkTaskMetric::kDeserializeTime) -
                                  tasks.Value(row, SparkTaskMetric::kResultSerializationTime) -
                                  GettingResultTime(tasks, row));
}

bool IsFinished(HistoryTaskStatus status) {
  return status != HistoryTaskStatus::kRunning && status != HistoryTaskStatus::kGettingResult;
}

// Values at the quantiles' positions among `count` tasks; NaN beyond the end.
std::vector<double> ValuesAt(std::vector<int64_t> values, size_t count, const std::vector<double>& quantiles) {
  std::vector<double> found;
  size_t sorted = 0;  // number of leading values in sorted position
  for (const double quantile : quantiles) {
    const double wanted = std::min(std::floor(quantile * static_cast<double>(count)), static_cast<double>(count) - 1);
    const auto position = static_cast<size_t>(std::max(0.0, wanted));
    if (position >= values.size()) {
      found.push_back(std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    if (position >= sorted) {
      std::nth_element(values.begin() + static_cast<std::ptrdiff_t>(sorted),
                       values.begin() + static_cast<std::ptrdiff_t>(position), values.end());
      sorted = position + 1;
    }
    found.push_back(static_cast<double>(values[position]));
  }
  return found;
}

// Summary of one stage attempt's tasks. Metrics are of successful tasks, but times also of others. Positions count
// successful tasks.
class Summary {
 public:
  Summary(const TaskColumns& tasks, const std::vector<uint32_t>& rows, const std::vector<double>& quantiles)
      : tasks_(tasks), rows_(rows), quantiles_(quantiles) {
    for (const uint32_t row : rows) {
      if (tasks.has_metrics[row] != 0) ended_.push_back(row);
      if (tasks.has_metrics[row] != 0 && tasks.status[row] == HistoryTaskStatus::kSuccess) succeeded_.push_back(row);
    }
  }

  bool IsEmpty() const { return succeeded_.empty(); }

  std::vector<double> Of(SparkTaskMetric value) const {
    if (!tasks_.HasValues(value)) return std::vector<double>(quantiles_.size(), 0.0);
    return Over(succeeded_, [&](uint32_t row) { return tasks_.Value(row, value); });
  }

  std::vector<double> OfDurations() const {
    return Over(rows_, [&](uint32_t row) { return tasks_.duration_ms[row]; });
  }
  std::vector<double> OfGettingResult() const {
    return Over(ended_, [&](uint32_t row) { return GettingResultTime(tasks_, row); });
  }
  std::vector<double> OfSchedulerDelay() const {
    return Over(ended_, [&](uint32_t row) { return SchedulerDelay(tasks_, row); });
  }

  std::vector<double> OfSum(SparkTaskMetric first, SparkTaskMetric second) const {
    return Over(succeeded_, [&](uint32_t row) { return tasks_.Value(row, first) + tasks_.Value(row, second); });
  }

 private:
  std::vector<double> Over(const std::vector<uint32_t>& rows, const std::function<int64_t(uint32_t)>& value) const {
    std::vector<int64_t> values;
    values.reserve(rows.size());
    for (const uint32_t row : rows) values.push_back(value(row));
    return ValuesAt(std::move(values), succeeded_.size(), quantiles_);
  }

  const TaskColumns& tasks_;
  const std::vector<uint32_t>& rows_;
  const std::vector<double>& quantiles_;
  std::vector<uint32_t> ended_;
  std::vector<uint32_t> succeeded_;
};

void WriteShuffleRead(const Summary& summary, JsonWriter* json) {
  json->Key("shuffleReadMetrics").BeginObject();
  WriteReals("readBytes", summary.OfSum(SparkTaskMetric::kLocalBytes, SparkTaskMetric::kRemoteBytes), json);
  WriteReals("readRecords", summary.Of(SparkTaskMetric::kReadRecords), json);
  WriteReals("remoteBlocksFetched", summary.Of(SparkTaskMetric::kRemoteBlocks), json);
  WriteReals("localBlocksFetched", summary.Of(SparkTaskMetric::kLocalBlocks), json);
  WriteReals("fetchWaitTime", summary.Of(SparkTaskMetric::kFetchWaitTime), json);
  WriteReals("remoteBytesRead", summary.Of(SparkTaskMetric::kRemoteBytes), json);
  WriteReals("remoteBytesReadToDisk", summary.Of(SparkTaskMetric::kRemoteBytesToDisk), json);
  WriteReals("totalBlocksFetched", summary.OfSum(SparkTaskMetric::kLocalBlocks, SparkTaskMetric::kRemoteBlocks), json);
  WriteReals("remoteReqsDuration", summary.Of(SparkTaskMetric::kRemoteRequestTime), json);
  json->Key("shufflePushReadMetricsDist").BeginObject();
  for (auto value = static_cast<size_t>(SparkTaskMetric::kCorruptMergedChunks);
       value <= static_cast<size_t>(SparkTaskMetric::kRemoteMergedRequestTime); ++value) {
    WriteReals(kSparkTaskMetrics[value].Member(), summary.Of(static_cast<SparkTaskMetric>(value)), json);
  }
  json->EndObject().EndObject();
}

}  // namespace

bool TaskStatuses::Has(HistoryTaskStatus status) const {
  if (all) return true;
  switch (status) {
    case HistoryTaskStatus::kRunning:
      return running;
    case HistoryTaskStatus::kSuccess:
      return success;
    case HistoryTaskStatus::kFailed:
      return failed;
    case HistoryTaskStatus::kKilled:
      return killed;
    case HistoryTaskStatus::kGettingResult:
      break;
  }
  return false;
}

std::optional<TaskStatuses> ReadTaskStatuses(HistoryParameters parameters, std::string_view name) {
  TaskStatuses statuses;
  for (const std::string& value : ValuesOf(parameters, name)) {
    statuses.all = false;
    const std::string lower = ToLowerAscii(value);
    if (lower == "running") {
      statuses.running = true;
    } else if (lower == "success") {
      statuses.success = true;
    } else if (lower == "failed") {
      statuses.failed = true;
    } else if (lower == "killed") {
      statuses.killed = true;
    } else if (lower == "unknown") {
      statuses.unknown = true;
    } else {
      return std::nullopt;
    }
  }
  return statuses;
}

void WriteTask(const History& history, uint32_t row, JsonWriter* json) {
  const TaskColumns& tasks = history.tasks;
  const StringTable& strings = history.strings;
  json->BeginObject()
      .Member("taskId", tasks.id[row])
      .Member("index", tasks.index[row])
      .Member("attempt", tasks.attempt[row])
      .Member("partitionId", tasks.partition[row])
      .Member("launchTime", SparkTime(tasks.launch_ms[row]));
  if (tasks.result_fetch_ms[row] > 0) WriteTime("resultFetchStart", tasks.result_fetch_ms[row], json);
  if (tasks.duration_ms[row] > 0) json->Member("duration", tasks.duration_ms[row]);
  json->Member("executorId", strings.Get(tasks.executor[row]))
      .Member("host", strings.Get(tasks.host[row]))
      .Member("status", TaskStatusName(tasks.status[row]))
      .Member("taskLocality", strings.Get(tasks.locality[row]))
      .Member("speculative", tasks.speculative[row] != 0);
  const auto accumulables = tasks.accumulables.find(row);
  WriteAccumulables(accumulables == tasks.accumulables.end() ? nullptr : &accumulables->second, strings, json);
  if (tasks.error[row] != 0) json->Member("errorMessage", strings.Get(tasks.error[row]));
  if (tasks.has_metrics[row] != 0) WriteMetrics(tasks, row, json);
  const auto executor = history.executors.find(std::string(strings.Get(tasks.executor[row])));
  json->Key("executorLogs").Object(executor == history.executors.end() ? TextPairs() : executor->second.logs);
  const bool has_delay = IsFinished(tasks.status[row]) && tasks.has_metrics[row] != 0 && tasks.duration_ms[row] > 0;
  json->Member("schedulerDelay", has_delay ? SchedulerDelay(tasks, row) : 0)
      .Member("gettingResultTime", GettingResultTime(tasks, row))
      .EndObject();
}

bool WriteTaskSummary(const History& history, const HistoryStage& stage, const std::vector<double>& quantiles,
                      JsonWriter* json) {
  const Summary summary(history.tasks, stage.tasks, quantiles);
  if (summary.IsEmpty()) return false;
  const auto write = [&](std::string_view name, SparkTaskMetric value) { WriteReals(name, summary.Of(value), json); };
  json->BeginObject();
  WriteReals("quantiles", quantiles, json);
  WriteReals("duration", summary.OfDurations(), json);
  for (auto value = static_cast<size_t>(SparkTaskMetric::kDeserializeTime);
       value <= static_cast<size_t>(SparkTaskMetric::kResultSerializationTime); ++value) {
    write(kSparkTaskMetrics[value].Member(), static_cast<SparkTaskMetric>(value));
  }
  WriteReals("gettingResultTime", summary.OfGettingResult(), json);
  WriteReals("schedulerDelay", summary.OfSchedulerDelay(), json);
  write("peakExecutionMemory", SparkTaskMetric::kPeakExecutionMemory);
  write("memoryBytesSpilled", SparkTaskMetric::kMemorySpilled);
  write("diskBytesSpilled", SparkTaskMetric::kDiskSpilled);
  json->Key("inputMetrics").BeginObject();
  write("bytesRead", SparkTaskMetric::kInputBytes);
  write("recordsRead", SparkTaskMetric::kInputRecords);
  json->EndObject().Key("outputMetrics").BeginObject();
  write("bytesWritten", SparkTaskMetric::kOutputBytes);
  write("recordsWritten", SparkTaskMetric::kOutputRecords);
  json->EndObject();
  WriteShuffleRead(summary, json);
  json->Key("shuffleWriteMetrics").BeginObject();
  write("writeBytes", SparkTaskMetric::kWriteBytes);
  write("writeRecords", SparkTaskMetric::kWriteRecords);
  write("writeTime", SparkTaskMetric::kWriteTime);
  json->EndObject().EndObject();
  return true;
}

}  // namespace sparkprof
