// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/table.h"
#include "base/result.h"
#include "model/application.h"

namespace sparkprof {

inline constexpr std::array<std::string_view, 8> kEventTables = {"jobs", "stages",  "tasks",     "executors",
                                                                 "sql",  "storage", "streaming", "environment"};

// One of kEventTables of an application, which outlives the table. Names, units and values are those of Spark's REST
// API, /api/v1/applications/ID/…: bytes, ms where REST has ms, ns where it has ns (CPU times, shuffle write time); but
// points of time are ms since the epoch. A name with dots ("inputMetrics.bytesRead") is a member of an object in JSON.
// Unknown is empty. "storage" has a row for each cached RDD, with its peaks beside what REST has; "streaming" has a row
// for each batch of a Structured Streaming query, with the names of its progress event.
Result<Table> EventTable(const Application& application, std::string_view name);

// The columns of a table in text output.
std::vector<std::string_view> ShownColumns(std::string_view table);

}  // namespace sparkprof
