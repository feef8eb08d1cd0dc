// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sparkprof {

// The tables of runs (docs/server-api.md, "Runs"). A row is a JSON object. Rows may have the column names of the tables
// Runs, Log and ProcessMonitor of older harnesses (`suite_name`, `resident_size`); they are stored under the present
// ones.

enum class RunCell : uint8_t {
  kTime,     // ms since the Unix epoch, or a time such as 2026-11-22T10:00:00Z; UTC without a zone
  kSeconds,  // a number, or [DD-]hh:mm:ss as ps prints it
  kNumber,
  kText,
};

struct RunColumn {
  std::string_view name;
  std::string_view original;  // in older harnesses; empty = there was none
  RunCell cell;
};

std::span<const RunColumn> RunColumns();
std::span<const RunColumn> LogColumns();
std::span<const RunColumn> ProcessColumns();

// The rows of a request's body, a JSON object or an array of them: each as a JSON line with known columns, checked,
// without secrets. Unknown columns are refused, except `id`, `run_id` and `results`.
Result<std::vector<std::string>> ParseRunRows(std::span<const RunColumn> columns, const std::string& body);

// The rows' lines as a table with a line of names; damaged lines are left out.
std::string RunRowsCsv(std::span<const RunColumn> columns, const std::vector<std::string>& lines);

}  // namespace sparkprof
