// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/answers.h"
#include "analysis/plans/operator_costs.h"
#include "analysis/selection/coarse_samples.h"
#include "analysis/tables/row_choice.h"
#include "analysis/tables/table.h"
#include "base/text/json_writer.h"
#include "loader/source_files.h"
#include "model/application.h"
#include "render/report/column_area.h"

namespace sparkprof {

// The report's strings, once each. Views must outlive the table.
class ReportStrings {
 public:
  ReportStrings() { Intern({}); }
  uint32_t Intern(std::string_view text);
  void Write(JsonWriter* json) const;  // "strings": […]

 private:
  std::vector<std::string_view> strings_;
  std::unordered_map<std::string_view, uint32_t> ids_;
};

// Each writes the members of the report's JSON that it names; docs/report-data.md describes them.

// "frames", "stacks", "threads", "samples", "bucketMs", "events", and "sources" where `sources` has files of the frames
void WriteSampleTables(const Application& application, const CoarseSamples& samples, const ChosenRows& shown,
                       const SourceFiles* sources, ReportStrings* strings, ColumnArea* columns, JsonWriter* json);
// By the table's name: an object for each of the rows with the columns of the page, and what `write_more` adds.
void WriteRows(const Table& table, const std::vector<uint32_t>& rows, const std::function<void(uint32_t)>& write_more,
               JsonWriter* json);
// "tasks", "metrics"
void WriteTasks(const Application& application, const ChosenRows& shown, ColumnArea* columns, JsonWriter* json);
// "concurrency", of all tasks: for pages that do not show them all, or very many
void WriteConcurrency(const Application& application, ColumnArea* columns, JsonWriter* json);
// "jobs", "stages"
void WriteJobs(const Application& application, const Answers& answers, const ChosenRows& rows, JsonWriter* json);
// "sql"
void WriteSql(const Application& application, const Answers& answers, const OperatorCosts& operators,
              const ChosenRows& rows, JsonWriter* json);
// "executors", "processes", "series", "environment", "notices"
void WriteMachines(const Application& application, const ChosenRows& rows, std::string_view note, ColumnArea* columns,
                   JsonWriter* json);
// "heap", where there are heap summaries: evenly chosen ones where there are many
void WriteHeap(const Application& application, const ChosenRows& rows, ColumnArea* columns, JsonWriter* json);
// "storage", where the program keeps RDDs
void WriteStorage(const Application& application, ColumnArea* columns, JsonWriter* json);
// "streaming", where there are streaming queries
void WriteStreaming(const Application& application, ColumnArea* columns, JsonWriter* json);
// "logs", where there are any
void WriteLogs(const Application& application, const Answers& answers, ColumnArea* columns, JsonWriter* json);
// "wall"
void WriteWallTime(const Application& application, const Answers& answers, const ChosenRows& rows, ColumnArea* columns,
                   JsonWriter* json);
// "timeSpent", "findings", "udfs", "waits"
void WriteAnswers(const Application& application, const Answers& answers, JsonWriter* json);

}  // namespace sparkprof
