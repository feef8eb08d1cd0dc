// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "base/result.h"
#include "history/history.h"
#include "history/history_answers.h"

namespace sparkprof {

// Helpers of the answers. A member that Spark leaves out if it has no value is written only if there is one.

using AnswerPath = std::span<const std::string>;

// All values of a parameter that may be given several times.
std::vector<std::string> ValuesOf(HistoryParameters parameters, std::string_view name);
// The first value of a parameter, or `fallback`.
std::string ValueOr(HistoryParameters parameters, std::string_view name, std::string_view fallback);
// Like Java's Boolean: only "true", in any case, is true.
bool BooleanOr(HistoryParameters parameters, std::string_view name, bool fallback);
// Nothing if the parameter is not a 32-bit integer.
std::optional<int64_t> IntegerOr(HistoryParameters parameters, std::string_view name, int64_t fallback);

HistoryAnswer JsonAnswer(JsonWriter* json);
HistoryAnswer NotFound(std::string text);
// A path or a value that Spark's router does not accept.
HistoryAnswer NoSuchPath();
// The answer to a wrong list of quantiles, or to one that is too long.
HistoryAnswer BadQuantile(std::string_view value);

// Sorted numbers in "0.05,0.5"; the text that is not a number if there is one.
struct ParsedQuantiles {
  std::vector<double> values;
  std::optional<std::string> wrong;
};
ParsedQuantiles ParseQuantiles(std::string_view text);

// A number as a Java double: with a decimal point.
void WriteReal(double number, JsonWriter* json);
void WriteReals(std::string_view key, const std::vector<double>& numbers, JsonWriter* json);
void WriteTime(std::string_view key, std::optional<int64_t> epoch_ms, JsonWriter* json);
void WriteText(std::string_view key, const std::optional<std::string>& text, JsonWriter* json);
void WriteIds(std::string_view key, const std::vector<int64_t>& ids, JsonWriter* json);
void WritePairs(std::string_view key, const TextPairs& pairs, JsonWriter* json);  // as an object
void WriteCounts(std::string_view key, const KilledSummary& counts, JsonWriter* json);
void WritePeaks(std::string_view key, const ExecutorPeaks& peaks, JsonWriter* json);  // if there are any
void WriteAccumulables(const std::vector<Accumulable>* accumulables, const StringTable& strings, JsonWriter* json);

// The tasks of a stage attempt as a list, and by ID. `statuses` empty = all.
struct TaskStatuses {
  bool all = true;
  bool running = false, success = false, failed = false, killed = false, unknown = false;

  bool Has(HistoryTaskStatus status) const;
};
// Nothing if a value is not a status.
std::optional<TaskStatuses> ReadTaskStatuses(HistoryParameters parameters, std::string_view name);
void WriteTask(const History& history, uint32_t row, JsonWriter* json);

// Quantiles of the metrics of a stage's successful tasks. False, without output, if there are none.
bool WriteTaskSummary(const History& history, const HistoryStage& stage, const std::vector<double>& quantiles,
                      JsonWriter* json);
// The same of the summaries of its executors.
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
