// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "analysis/tables/cells.h"
#include "analysis/tables/tables.h"

namespace sparkprof {

Table StreamingTable(const Application& application) {
  using enum ColumnType;
  using enum Visibility;
  const auto& batches = application.streaming_batches;
  const auto of_query = [&application](std::string StreamingQuery::*member) {
    return [&application, member](size_t row) {
      const auto query = static_cast<size_t>(application.streaming_batches[row].query);
      return TextCell(application.streaming_queries[query].*member);
    };
  };
  const auto value = [&batches](auto StreamingBatch::*member) {
    return [&batches, member](size_t row) { return Cell(batches[row].*member); };
  };
  Table table{.name = "streaming", .rows = batches.size(), .columns = {}};
  auto& columns = table.columns;
  columns = {
      {"name", kText, kShown, of_query(&StreamingQuery::name)},
      {"id", kText, kHidden, of_query(&StreamingQuery::id)},
      {"runId", kText, kHidden, of_query(&StreamingQuery::run_id)},
      {"batchId", kInteger, kShown, [&batches](size_t row) { return IdCell(batches[row].id); }},
      {"timestamp", kTime, kShown, [&batches](size_t row) { return TimeCell(batches[row].start_ns); },
       ColumnRole::kBegin},
      {"batchDuration", kMillis, kShown, [&batches](size_t row) { return MillisCell(batches[row].duration_ns); }},
      {"numInputRows", kInteger, kShown, value(&StreamingBatch::input_rows)},
      {"inputRowsPerSecond", kReal, kShown, value(&StreamingBatch::input_rows_per_second)},
      {"processedRowsPerSecond", kReal, kShown, value(&StreamingBatch::processed_rows_per_second)},
      {"stateRows", kInteger, kShown, value(&StreamingBatch::state_rows)},
      {"stateMemoryBytes", kBytes, kHidden, value(&StreamingBatch::state_bytes)},
      {"offsetsBehindLatest", kInteger, kHidden,
       [&batches](size_t row) { return IdCell(batches[row].offsets_behind); }},
      {"watermark", kTime, kHidden, [&batches](size_t row) { return TimeCell(batches[row].watermark_ns); }},
  };
  std::set<std::string> phases;
  for (const StreamingBatch& batch : batches) {
    for (const auto& [phase, duration_ns] : batch.phases_ns) phases.insert(phase);
  }
  for (const std::string& phase : phases) {
    columns.push_back({"durationMs." + phase, kMillis, kHidden, [&batches, phase](size_t row) {
                         for (const auto& [name, duration_ns] : batches[row].phases_ns) {
                           if (name == phase) return MillisCell(duration_ns);
                         }
                         return Cell();
                       }});
  }
  columns.push_back({"exception", kLongText, kShown, of_query(&StreamingQuery::failure)});
  return table;
}

}  // namespace sparkprof
