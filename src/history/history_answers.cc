// SPDX-License-Identifier: Apache-2.0
#include "history/history_answers.h"

#include <algorithm>

#include "history/answer_parts.h"

namespace sparkprof {

HistoryAnswer AnswerHistory(const History& history, std::span<const std::string> path, HistoryParameters parameters,
                            int64_t now_ms) {
  if (path.empty()) return NoSuchPath();
  const std::string& what = path[0];
  const AnswerPath rest = path.subspan(1);
  if (what == "jobs") return AnswerJobs(history, rest, parameters);
  if (what == "stages") return AnswerStages(history, rest, parameters);
  if (what == "sql") return AnswerSql(history, rest, parameters, now_ms);
  if (what == "connect") return AnswerConnect(history, rest, parameters, now_ms);
  if (what == "storage" && !rest.empty() && rest[0] == "rdd") return AnswerRdds(history, rest.subspan(1));
  if (!rest.empty()) return NoSuchPath();
  if (what == "executors") return AnswerExecutors(history, true, now_ms);
  if (what == "allexecutors") return AnswerExecutors(history, false, now_ms);
  if (what == "allmiscellaneousprocess") return AnswerProcesses(history);
  if (what == "environment") return AnswerEnvironment(history);
  return NoSuchPath();
}

bool DependsOnNow(const History& history, std::span<const std::string> path) {
  if (path.empty()) return false;
  if (path[0] == "executors" || path[0] == "allexecutors") return !history.end_ms;
  if (path[0] == "connect") {
    return std::any_of(history.connect_operations.begin(), history.connect_operations.end(),
                       [](const auto& operation) { return operation.second.finish_ms == 0; });
  }
  return path[0] == "sql" && std::any_of(history.sql_executions.begin(), history.sql_executions.end(),
                                         [](const auto& execution) { return !execution.second.completion_ms; });
}

}  // namespace sparkprof
