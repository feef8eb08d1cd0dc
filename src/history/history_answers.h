// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "history/history.h"

namespace sparkprof {

// The answer of Spark's History Server 4.1 to a GET below /api/v1/applications/ID[/ATTEMPT].
struct HistoryAnswer {
  unsigned status = 200;
  std::string body;  // JSON, or the text of an error
};

using HistoryParameters = std::span<const std::pair<std::string, std::string>>;  // decoded

// `path` has the segments behind the application or attempt: {"stages", "3", "0", "taskSummary"}. `now_ms` is the time
// until which a running application's driver has run. Thread-safe for one history.
HistoryAnswer AnswerHistory(const History& history, std::span<const std::string> path, HistoryParameters parameters,
                            int64_t now_ms);

// The answer contains the current time, because the application or an SQL execution has no end.
bool DependsOnNow(const History& history, std::span<const std::string> path);

// A time as Spark prints it: "2026-04-15T20:59:46.231GMT".
std::string SparkTime(int64_t epoch_ms);

}  // namespace sparkprof
