// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/selection/selection.h"
#include "analysis/tables/table.h"
#include "base/result.h"
#include "formats/records/profiler_records.h"
#include "model/application.h"

namespace sparkprof {

// An application and the part of it that is wanted: job, stage, tasks, sql, node, executor and times of a selection.
struct TableSource {
  const Application* application = nullptr;
  Selection selection;
};

// The data of tables, which outlives them.
struct TableData {
  std::vector<TableSource> sources;
  const ProfilerRecords* records = nullptr;  // only metrics and series use them
  // Adds columns to the table of an application, before rows are selected; may be empty.
  std::function<void(const Application& application, Table* table)> extend = {};
  VerdictOfApplication verdict = {};  // only applications uses it
};

// The samples that a table requires, see stitch.h.
enum class TableSamples : uint8_t { kSeparate, kMerged };

// One line for each in application_tables.cc.
struct ApplicationTable {
  std::string_view name;     // "jobs"
  std::string_view purpose;  // "the jobs"
  std::string_view missing;  // a sentence, if there are no rows: "no jobs recorded"
  // The rows of all applications; several have the columns applicationId and applicationAttemptId. Fails if the table
  // has no column for a member of a selection.
  Result<Table> (*make)(const TableData& data);
  TableSamples samples = TableSamples::kSeparate;
};

std::span<const ApplicationTable> ApplicationTables();

// The error names the tables.
Result<const ApplicationTable*> FindApplicationTable(std::string_view name);

}  // namespace sparkprof
