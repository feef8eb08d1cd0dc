// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sparkprof {

// Tables of runs (docs/server-api.md, "Runs"). A row is a JSON object. Rows may use the column names of the tables
// Runs, Log and ProcessMonitor of older harnesses (`suite_name`, `resident_size`); they are stored under the current
// names.

enum class RunCell : uint8_t {
  kTime,     // ms since the Unix epoch, or a time such as 2026-11-22T10:00:00Z; UTC without a zone
  kSeconds,  // a number, or [DD-]hh:mm:ss as ps prints it
  kNumber,
  kText,
};

struct RunColumn {
  std::string_view name;
  std::string_view original;  // name in older harnesses; empty = none
  RunCell cell;
};

std::span<const RunColumn> RunColumns();
std::span<const RunColumn> LogColumns();
std::span<const RunColumn> ProcessColumns();

// Parses a request's body, a JSON object or an array of them, into checked JSON lines with known columns and without
// secrets. Rejects unknown columns except `id`, `run_id` and `results`.
Result<std::vector<std::string>> ParseRunRows(std::span<const RunColumn> columns, const std::string& body);

// Formats the lines as CSV with a header. Skips damaged lines.
std::string RunRowsCsv(std::span<const RunColumn> columns, const std::vector<std::string>& lines);

// The latest time that the API accepts (year 2100), in ms since the Unix epoch; see openapi.json.
constexpr int64_t kLatestMillis = 4'102'444'800'000;

}  // namespace sparkprof
