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
  const MemberCells of(&batches);
  Table table{.name = "streaming", .rows = batches.size(), .columns = {}};
  auto& columns = table.columns;
  columns = {
      {"name", "name of the query", kText, kShown, of_query(&StreamingQuery::name)},
      {"id", "ID of the query, which stays the same over restarts", kText, kHidden, of_query(&StreamingQuery::id)},
      {"runId", "ID of this run of the query", kText, kHidden, of_query(&StreamingQuery::run_id)},
      {"batchId", "number of the batch", kInteger, kShown, of.Id(&StreamingBatch::id)},
      {"timestamp", "start of the batch", kTime, kShown, of.Time(&StreamingBatch::start_ns), ColumnRole::kBegin},
      {"batchDuration", "duration of the batch", kMillis, kShown, of.Millis(&StreamingBatch::duration_ns)},
      {"numInputRows", "rows read from all sources", kInteger, kShown, of.Value(&StreamingBatch::input_rows)},
      {"inputRowsPerSecond", "rows that arrived per second", kReal, kShown,
       of.Value(&StreamingBatch::input_rows_per_second)},
      {"processedRowsPerSecond", "rows processed per second", kReal, kShown,
       of.Value(&StreamingBatch::processed_rows_per_second)},
      {"stateRows", "rows in the state of all stateful operators", kInteger, kShown,
       of.Value(&StreamingBatch::state_rows)},
      {"stateMemoryBytes", "memory of the state of all stateful operators", kBytes, kHidden,
       of.Value(&StreamingBatch::state_bytes)},
      {"offsetsBehindLatest", "offsets between what was read and the latest of the sources", kInteger, kHidden,
       of.Id(&StreamingBatch::offsets_behind)},
      {"watermark", "watermark of event time", kTime, kHidden, of.Time(&StreamingBatch::watermark_ns)},
  };
  std::set<std::string> phases;
  for (const StreamingBatch& batch : batches) {
    for (const auto& [phase, duration_ns] : batch.phases_ns) phases.insert(phase);
  }
  for (const std::string& phase : phases) {
    columns.push_back(
        {"durationMs." + phase, "time of this phase of the batch", kMillis, kHidden, [&batches, phase](size_t row) {
           for (const auto& [name, duration_ns] : batches[row].phases_ns) {
             if (name == phase) return MillisCell(duration_ns);
           }
           return Cell();
         }});
  }
  columns.push_back({"exception", "why the query ended", kLongText, kShown, of_query(&StreamingQuery::failure)});
  return table;
}

}  // namespace sparkprof
