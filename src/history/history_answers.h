// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/json_writer.h"
#include "history/history.h"

namespace sparkprof {

// The answer of Spark's History Server 4.1 to GET /api/v1/applications/ID[/ATTEMPT]/….
struct HistoryAnswer {
  unsigned status = 200;
  std::string body;  // JSON, or an error text
};

using HistoryParameters = std::span<const std::pair<std::string, std::string>>;  // decoded

// `path` has the segments after the application or attempt: {"stages", "3", "0", "taskSummary"}. `now_ms` is the end
// time assumed for the driver of a running application. Thread-safe for one history.
HistoryAnswer AnswerHistory(const History& history, std::span<const std::string> path, HistoryParameters parameters,
                            int64_t now_ms);

// Whether the answer contains the current time, because the application or an SQL execution has no end.
bool DependsOnNow(const History& history, std::span<const std::string> path);

// Formats a time as Spark does: "2026-04-15T20:59:46.231GMT".
std::string SparkTime(int64_t epoch_ms);

}  // namespace sparkprof
