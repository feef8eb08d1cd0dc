// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text/json_writer.h"
#include "history/history.h"
#include "history/history_answers.h"

namespace sparkprof {

// Helpers for answers. Members that Spark omits if they have no value are written only if set.

using AnswerPath = std::span<const std::string>;

std::vector<std::string> ValuesOf(HistoryParameters parameters, std::string_view name);
std::string ValueOr(HistoryParameters parameters, std::string_view name, std::string_view fallback);
// Parses like Java's Boolean: true if the text is "true", case-insensitive.
bool BooleanOr(HistoryParameters parameters, std::string_view name, bool fallback);
// nullopt if the parameter is not a 32-bit integer.
std::optional<int64_t> IntegerOr(HistoryParameters parameters, std::string_view name, int64_t fallback);

HistoryAnswer JsonAnswer(JsonWriter* json);
HistoryAnswer NotFound(std::string text);
// Answer for a path or value that Spark's router rejects.
HistoryAnswer NoSuchPath();
// Answer for an invalid or too long list of quantiles.
HistoryAnswer BadQuantile(std::string_view value);

// Sorted numbers of "0.05,0.5", or the first text that is not a number.
struct ParsedQuantiles {
  std::vector<double> values;
  std::optional<std::string> wrong;
};
ParsedQuantiles ParseQuantiles(std::string_view text);

// Writes a number as a Java double: with a decimal point.
void WriteReal(double number, JsonWriter* json);
void WriteReals(std::string_view key, const std::vector<double>& numbers, JsonWriter* json);
void WriteTime(std::string_view key, std::optional<int64_t> epoch_ms, JsonWriter* json);
void WriteText(std::string_view key, const std::optional<std::string>& text, JsonWriter* json);
void WritePeaks(std::string_view key, const ExecutorPeaks& peaks, JsonWriter* json);  // omitted if not set
void WriteAccumulables(const std::vector<Accumulable>* accumulables, const StringTable& strings, JsonWriter* json);

// Filter for tasks by status; all if no status is requested.
struct TaskStatuses {
  bool all = true;
  bool running = false, success = false, failed = false, killed = false, unknown = false;

  bool Has(HistoryTaskStatus status) const;
};
// nullopt if a value is not a status.
std::optional<TaskStatuses> ReadTaskStatuses(HistoryParameters parameters, std::string_view name);
void WriteTask(const History& history, uint32_t row, JsonWriter* json);

// Writes quantiles of the metrics of a stage's successful tasks. Returns false without output if there are none.
bool WriteTaskSummary(const History& history, const HistoryStage& stage, const std::vector<double>& quantiles,
                      JsonWriter* json);
void WriteExecutorSummaryQuantiles(const HistoryStage& stage, const std::vector<double>& quantiles, JsonWriter* json);

HistoryAnswer AnswerStages(const History& history, AnswerPath path, HistoryParameters parameters);
HistoryAnswer AnswerExecutors(const History& history, bool only_active, int64_t now_ms);
HistoryAnswer AnswerProcesses(const History& history);
HistoryAnswer AnswerRdds(const History& history, AnswerPath path);
HistoryAnswer AnswerSql(const History& history, AnswerPath path, HistoryParameters parameters, int64_t now_ms);
HistoryAnswer AnswerConnect(const History& history, AnswerPath path, HistoryParameters parameters, int64_t now_ms);
HistoryAnswer AnswerEnvironment(const History& history);
HistoryAnswer AnswerJobs(const History& history, AnswerPath path, HistoryParameters parameters);

}  // namespace sparkprof
