// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "base/saturate.h"
#include "base/text/text.h"
#include "history/answer_parts.h"

namespace sparkprof {
namespace {

constexpr std::array<std::string_view, 5> kStatusTexts = {"ACTIVE", "COMPLETE", "FAILED", "PENDING", "SKIPPED"};

int64_t ShuffleRead(const HistoryTaskValues& sums) {
  int64_t sum = sums[SparkTaskMetric::kRemoteBytes];
  AddSaturated(sums[SparkTaskMetric::kLocalBytes], &sum);
  return sum;
}

struct StageOptions {
  bool details = false;
  bool summaries = false;
  std::vector<double> quantiles;
  TaskStatuses tasks;
};

// Options of a request, or an error answer.
struct ReadOptions {
  StageOptions options;
  std::optional<HistoryAnswer> refusal;
};

ReadOptions ReadStageOptions(HistoryParameters parameters, bool details) {
  ReadOptions read;
  const std::optional<TaskStatuses> tasks = ReadTaskStatuses(parameters, "taskStatus");
  ParsedQuantiles quantiles = ParseQuantiles(ValueOr(parameters, "quantiles", "0.0,0.25,0.5,0.75,1.0"));
  if (!tasks) read.refusal = NoSuchPath();
  if (quantiles.wrong) read.refusal = BadQuantile(*quantiles.wrong);
  if (read.refusal) return read;
  read.options = {BooleanOr(parameters, "details", details), BooleanOr(parameters, "withSummaries", false),
                  std::move(quantiles.values), *tasks};
  return read;
}

void WriteExecutorSummary(const ExecutorStageSummary& summary, JsonWriter* json) {
  const HistoryTaskValues& sums = summary.sums;
  json->BeginObject()
      .Member("taskTime", summary.task_time_ms)
      .Member("failedTasks", summary.failed_tasks)
      .Member("succeededTasks", summary.succeeded_tasks)
      .Member("killedTasks", summary.killed_tasks)
      .Member("inputBytes", sums[SparkTaskMetric::kInputBytes])
      .Member("inputRecords", sums[SparkTaskMetric::kInputRecords])
      .Member("outputBytes", sums[SparkTaskMetric::kOutputBytes])
      .Member("outputRecords", sums[SparkTaskMetric::kOutputRecords])
      .Member("shuffleRead", ShuffleRead(sums))
      .Member("shuffleReadRecords", sums[SparkTaskMetric::kReadRecords])
      .Member("shuffleWrite", sums[SparkTaskMetric::kWriteBytes])
      .Member("shuffleWriteRecords", sums[SparkTaskMetric::kWriteRecords])
      .Member("memoryBytesSpilled", sums[SparkTaskMetric::kMemorySpilled])
      .Member("diskBytesSpilled", sums[SparkTaskMetric::kDiskSpilled])
      .Member("isBlacklistedForStage", summary.is_excluded);
  WritePeaks("peakMemoryMetrics", summary.peaks, json);
  json->Member("isExcludedForStage", summary.is_excluded).EndObject();
}

void WriteDetails(const History& history, const HistoryStage& stage, const StageOptions& options, JsonWriter* json) {
  json->Key("tasks").BeginObject();
  for (const uint32_t row : stage.tasks) {
    if (!options.tasks.Has(history.tasks.status[row])) continue;
    json->Key(std::to_string(history.tasks.id[row]));
    WriteTask(history, row, json);
  }
  json->EndObject().Key("executorSummary").BeginObject();
  for (const ExecutorStageSummary& summary : stage.executors) {
    json->Key(history.strings.Get(summary.executor));
    WriteExecutorSummary(summary, json);
  }
  json->EndObject();
  if (!stage.speculation) return;
  json->Key("speculationSummary")
      .BeginObject()
      .Member("numTasks", stage.speculation->tasks)
      .Member("numActiveTasks", stage.speculation->active_tasks)
      .Member("numCompletedTasks", stage.speculation->completed_tasks)
      .Member("numFailedTasks", stage.speculation->failed_tasks)
      .Member("numKilledTasks", stage.speculation->killed_tasks)
      .EndObject();
}

void WriteSummaries(const History& history, const HistoryStage& stage, const StageOptions& options, JsonWriter* json) {
  JsonWriter summary;
  if (WriteTaskSummary(history, stage, options.quantiles, &summary)) {
    json->Key("taskMetricsDistributions").Raw(summary.Text());
  }
  if (stage.executors.empty()) return;
  json->Key("executorMetricsDistributions");
  WriteExecutorSummaryQuantiles(stage, options.quantiles, json);
}

void WriteCounters(const HistoryStage& stage, JsonWriter* json) {
  const StageInfo& info = stage.info;
  json->Member("status", kStatusTexts[static_cast<size_t>(stage.status)])
      .Member("stageId", info.id)
      .Member("attemptId", info.attempt)
      .Member("numTasks", info.tasks)
      .Member("numActiveTasks", stage.active_tasks)
      .Member("numCompleteTasks", stage.completed_tasks)
      .Member("numFailedTasks", stage.failed_tasks)
      .Member("numKilledTasks", stage.killed_tasks)
      .Member("numCompletedIndices", stage.completed_indices);
  WriteTime("submissionTime", info.submission_ms, json);
  WriteTime("firstTaskLaunchedTime", stage.first_launch_ms, json);
  WriteTime("completionTime", info.completion_ms, json);
  WriteText("failureReason", info.failure, json);
  for (size_t metric = 0; metric < kSparkTaskMetricCount; ++metric)
    json->Member(kSparkTaskMetrics[metric].stage, stage.sums.numbers[metric]);
  json->Member("shuffleReadBytes", ShuffleRead(stage.sums));
}

void WriteStage(const History& history, const HistoryStage& stage, const StageOptions& options, JsonWriter* json) {
  const StageInfo& info = stage.info;
  json->BeginObject();
  WriteCounters(stage, json);
  json->Member("name", history.strings.Get(info.name));
  WriteText("description", stage.description, json);
  json->Member("details", history.strings.Get(info.details)).Member("schedulingPool", stage.pool);
  json->Member("rddIds", info.rdd_ids);
  WriteAccumulables(&info.accumulables, history.strings, json);
  if (options.details) WriteDetails(history, stage, options, json);
  json->Key("killedTasksSummary").Object(stage.killed_summary);
  json->Member("resourceProfileId", info.resource_profile);
  WritePeaks("peakExecutorMetrics", stage.peaks, json);
  if (options.summaries) WriteSummaries(history, stage, options, json);
  json->Member("isShufflePushEnabled", info.is_push_enabled).Member("shuffleMergersCount", info.mergers).EndObject();
}

// With details, the list omits stages without a task in one of the statuses.
bool HasTasks(const HistoryStage& stage, const StageOptions& options) {
  if (!options.details || options.tasks.all) return true;
  const TaskStatuses& wanted = options.tasks;
  const int64_t others =
      stage.info.tasks - stage.failed_tasks - stage.killed_tasks - stage.active_tasks - stage.completed_tasks;
  return (wanted.failed && stage.failed_tasks > 0) || (wanted.killed && stage.killed_tasks > 0) ||
         (wanted.running && stage.active_tasks > 0) || (wanted.success && stage.completed_tasks > 0) ||
         (wanted.unknown && others > 0);
}

HistoryAnswer ListStages(const History& history, HistoryParameters parameters) {
  const ReadOptions read = ReadStageOptions(parameters, false);
  if (read.refusal) return *read.refusal;
  std::array<bool, kStatusTexts.size()> wanted{};
  bool all = true;
  for (const std::string& value : ValuesOf(parameters, "status")) {
    all = false;
    const auto known = std::find_if(kStatusTexts.begin(), kStatusTexts.end(),
                                    [&](std::string_view text) { return ToLowerAscii(text) == ToLowerAscii(value); });
    if (known == kStatusTexts.end()) return NoSuchPath();
    wanted[static_cast<size_t>(known - kStatusTexts.begin())] = true;
  }
  JsonWriter json;
  json.BeginArray();
  for (auto at = history.stages.rbegin(); at != history.stages.rend(); ++at) {
    const HistoryStage& stage = at->second;
    if (!stage.is_known || !(all || wanted[static_cast<size_t>(stage.status)])) continue;
    if (HasTasks(stage, read.options)) WriteStage(history, stage, read.options, &json);
  }
  json.EndArray();
  return JsonAnswer(&json);
}

std::vector<const HistoryStage*> AttemptsOf(const History& history, int64_t id) {
  std::vector<const HistoryStage*> attempts;
  for (auto at = history.stages.lower_bound({id, INT64_MIN}); at != history.stages.end() && at->first.first == id;
       ++at) {
    if (at->second.is_known) attempts.push_back(&at->second);
  }
  return attempts;
}

HistoryAnswer OneStage(const History& history, int64_t id, HistoryParameters parameters) {
  const ReadOptions read = ReadStageOptions(parameters, true);
  if (read.refusal) return *read.refusal;
  const std::vector<const HistoryStage*> attempts = AttemptsOf(history, id);
  if (attempts.empty()) return NotFound(fmt::format("unknown stage: {}", id));
  JsonWriter json;
  json.BeginArray();
  for (const HistoryStage* const stage : attempts) WriteStage(history, *stage, read.options, &json);
  json.EndArray();
  return JsonAnswer(&json);
}

HistoryAnswer OneAttempt(const History& history, int64_t id, int64_t attempt, HistoryParameters parameters) {
  const ReadOptions read = ReadStageOptions(parameters, true);
  if (read.refusal) return *read.refusal;
  const std::vector<const HistoryStage*> attempts = AttemptsOf(history, id);
  std::vector<int64_t> found;
  for (const HistoryStage* const stage : attempts) {
    found.push_back(stage->info.attempt);
    if (stage->info.attempt != attempt) continue;
    JsonWriter json;
    WriteStage(history, *stage, read.options, &json);
    return JsonAnswer(&json);
  }
  if (attempts.empty()) return NotFound(fmt::format("unknown stage: {}", id));
  return NotFound(fmt::format("unknown attempt for stage {}.  Found attempts: [{}]", id, fmt::join(found, ",")));
}

HistoryAnswer TaskSummary(const History& history, int64_t id, int64_t attempt, HistoryParameters parameters) {
  const ParsedQuantiles quantiles = ParseQuantiles(ValueOr(parameters, "quantiles", "0.05,0.25,0.5,0.75,0.95"));
  if (quantiles.wrong) return BadQuantile(*quantiles.wrong);
  const auto stage = history.stages.find({id, attempt});
  JsonWriter json;
  if (stage == history.stages.end() || !WriteTaskSummary(history, stage->second, quantiles.values, &json)) {
    return NotFound(fmt::format("No tasks reported metrics for {} / {} yet.", id, attempt));
  }
  return JsonAnswer(&json);
}

enum class TaskOrder : uint8_t { kId, kRunTime, kRunTimeDescending };

std::optional<TaskOrder> ReadOrder(HistoryParameters parameters) {
  const std::string name = ToLowerAscii(ValueOr(parameters, "sortBy", "ID"));
  if (name == "id") return TaskOrder::kId;
  if (name == "runtime" || name == "increasing_runtime") return TaskOrder::kRunTime;
  if (name == "-runtime" || name == "decreasing_runtime") return TaskOrder::kRunTimeDescending;
  return std::nullopt;
}

// Sort key of Spark's order by run time: negative for tasks that did not succeed, the longest first.
int64_t OrderOfRunTime(const TaskColumns& tasks, uint32_t row) {
  if (tasks.has_metrics[row] == 0) return -1;
  const int64_t time = tasks.Value(row, SparkTaskMetric::kRunTime);
  return tasks.status[row] == HistoryTaskStatus::kSuccess ? time : -time - 1;
}

HistoryAnswer TaskList(const History& history, int64_t id, int64_t attempt, HistoryParameters parameters) {
  const std::optional<int64_t> offset = IntegerOr(parameters, "offset", 0);
  const std::optional<int64_t> length = IntegerOr(parameters, "length", 20);
  const std::optional<TaskOrder> order = ReadOrder(parameters);
  const std::optional<TaskStatuses> statuses = ReadTaskStatuses(parameters, "status");
  if (!offset || !length || !order || !statuses) return NoSuchPath();
  std::vector<uint32_t> rows;
  const auto stage = history.stages.find({id, attempt});
  if (stage != history.stages.end()) rows = stage->second.tasks;
  std::erase_if(rows, [&](uint32_t row) { return !statuses->Has(history.tasks.status[row]); });
  if (*order != TaskOrder::kId) {
    std::stable_sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) {
      return OrderOfRunTime(history.tasks, a) < OrderOfRunTime(history.tasks, b);
    });
  }
  if (*order == TaskOrder::kRunTimeDescending) std::reverse(rows.begin(), rows.end());
  const auto size = static_cast<int64_t>(rows.size());
  const int64_t begin = std::clamp<int64_t>(*offset, 0, size);
  const int64_t end = std::clamp<int64_t>(begin + *length, begin, size);
  JsonWriter json;
  json.BeginArray();
  for (int64_t at = begin; at < end; ++at) WriteTask(history, rows[static_cast<size_t>(at)], &json);
  json.EndArray();
  return JsonAnswer(&json);
}

}  // namespace

void WriteExecutorSummaryQuantiles(const HistoryStage& stage, const std::vector<double>& quantiles, JsonWriter* json) {
  using Get = std::function<int64_t(const ExecutorStageSummary&)>;
  const auto write = [&](std::string_view name, const Get& get) {
    std::vector<double> sorted;
    for (const ExecutorStageSummary& summary : stage.executors) sorted.push_back(static_cast<double>(get(summary)));
    std::sort(sorted.begin(), sorted.end());
    std::vector<double> found;
    const auto count = static_cast<double>(sorted.size());
    for (const double quantile : quantiles) {
      found.push_back(sorted[static_cast<size_t>(std::max(0.0, std::min(std::floor(quantile * count), count - 1)))]);
    }
    WriteReals(name, found, json);
  };
  const auto sum_of = [](SparkTaskMetric value) {
    return [value](const ExecutorStageSummary& summary) { return summary.sums[value]; };
  };
  json->BeginObject();
  WriteReals("quantiles", quantiles, json);
  write("taskTime", [](const ExecutorStageSummary& summary) { return summary.task_time_ms; });
  write("failedTasks", [](const ExecutorStageSummary& summary) { return summary.failed_tasks; });
  write("succeededTasks", [](const ExecutorStageSummary& summary) { return summary.succeeded_tasks; });
  write("killedTasks", [](const ExecutorStageSummary& summary) { return summary.killed_tasks; });
  write("inputBytes", sum_of(SparkTaskMetric::kInputBytes));
  write("inputRecords", sum_of(SparkTaskMetric::kInputRecords));
  write("outputBytes", sum_of(SparkTaskMetric::kOutputBytes));
  write("outputRecords", sum_of(SparkTaskMetric::kOutputRecords));
  write("shuffleRead", [](const ExecutorStageSummary& summary) { return ShuffleRead(summary.sums); });
  write("shuffleReadRecords", sum_of(SparkTaskMetric::kReadRecords));
  write("shuffleWrite", sum_of(SparkTaskMetric::kWriteBytes));
  write("shuffleWriteRecords", sum_of(SparkTaskMetric::kWriteRecords));
  write("memoryBytesSpilled", sum_of(SparkTaskMetric::kMemorySpilled));
  write("diskBytesSpilled", sum_of(SparkTaskMetric::kDiskSpilled));
  json->Key("peakMemoryMetrics").BeginObject();
  for (size_t metric = 0; metric < kExecutorMetricCount; ++metric) {
    write(kExecutorMetricNames[metric],
          [&](const ExecutorStageSummary& summary) { return summary.peaks.values[metric]; });
  }
  json->EndObject().EndObject();
}

HistoryAnswer AnswerStages(const History& history, AnswerPath path, HistoryParameters parameters) {
  if (path.empty()) return ListStages(history, parameters);
  const std::optional<int64_t> id = ParseInteger(path[0]);
  const std::optional<int64_t> attempt = path.size() > 1 ? ParseInteger(path[1]) : 0;
  if (!id || !attempt || path.size() > 3) return NoSuchPath();
  if (path.size() == 1) return OneStage(history, *id, parameters);
  if (path.size() == 2) return OneAttempt(history, *id, *attempt, parameters);
  if (path[2] == "taskSummary") return TaskSummary(history, *id, *attempt, parameters);
  if (path[2] == "taskList") return TaskList(history, *id, *attempt, parameters);
  return NoSuchPath();
}

}  // namespace sparkprof
