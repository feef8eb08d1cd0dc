// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "analysis/selection/time_range.h"
#include "base/time.h"
#include "render/report/report_tables.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxBatches = 20'000;

// All batches, or of equal groups in the order of the log the longest one each.
std::vector<uint32_t> ChooseBatches(const std::vector<StreamingBatch>& batches) {
  const size_t group = (batches.size() + kMaxBatches - 1) / kMaxBatches;
  std::vector<uint32_t> rows;
  for (size_t first = 0; first < batches.size(); first += group) {
    size_t longest = first;
    for (size_t row = first; row < std::min(batches.size(), first + group); ++row) {
      if (batches[row].duration_ns > batches[longest].duration_ns) longest = row;
    }
    rows.push_back(static_cast<uint32_t>(longest));
  }
  return rows;
}

void WriteQueries(const std::vector<StreamingQuery>& queries, JsonWriter* json) {
  json->Key("queries").BeginArray();
  for (const StreamingQuery& query : queries) {
    json->BeginObject()
        .Member("id", query.id)
        .Member("runId", query.run_id)
        .Member("name", query.name)
        .Member("startTime", query.start_ns / kNanosPerMilli)
        .Member("endTime", query.end_ns / kNanosPerMilli)
        .Member("failure", query.failure)
        .EndObject();
  }
  json->EndArray();
}

void WritePhases(const std::vector<StreamingBatch>& batches, const std::vector<uint32_t>& rows, ColumnArea* columns,
                 JsonWriter* json) {
  constexpr size_t kMaxPhases = 50;  // Spark has about eight
  std::set<std::string> names;
  for (const uint32_t row : rows) {
    for (const auto& [name, duration_ns] : batches[row].phases_ns) {
      if (names.size() < kMaxPhases) names.insert(name);
    }
  }
  json->Key("phases").BeginArray();
  for (const std::string& name : names) {
    std::vector<double> durations;
    for (const uint32_t row : rows) {
      double duration_ns = 0;
      for (const auto& [phase, ns] : batches[row].phases_ns) {
        if (phase == name) duration_ns = static_cast<double>(ns);
      }
      durations.push_back(duration_ns);
    }
    json->BeginObject().Member("name", name);
    columns->Add("durationNs", durations, json);
    json->EndObject();
  }
  json->EndArray();
}

}  // namespace

void WriteStreaming(const Application& application, ColumnArea* columns, JsonWriter* json) {
  const std::vector<StreamingBatch>& batches = application.streaming_batches;
  if (application.streaming_queries.empty()) return;
  const std::vector<uint32_t> rows = ChooseBatches(batches);
  const TimeRange range = RangeOf(application);
  json->Key("streaming").BeginObject();
  WriteQueries(application.streaming_queries, json);
  const auto add = [&](std::string_view name, auto value_of) {
    std::vector<decltype(value_of(batches[0]))> values;
    for (const uint32_t row : rows) values.push_back(value_of(batches[row]));
    columns->Add(name, values, json);
  };
  const auto number = [](int64_t value) { return static_cast<double>(value); };
  json->Key("batches").BeginObject();
  add("query", [](const StreamingBatch& batch) { return batch.query; });
  add("id", [&](const StreamingBatch& batch) { return number(batch.id); });
  add("time", [&](const StreamingBatch& batch) {
    return number(std::max<int64_t>(0, batch.start_ns - range.start_ns)) / kNanosPerMilli;
  });
  add("durationNs", [&](const StreamingBatch& batch) { return number(batch.duration_ns); });
  add("inputRows", [&](const StreamingBatch& batch) { return number(batch.input_rows); });
  add("inputRowsPerSecond", [](const StreamingBatch& batch) { return batch.input_rows_per_second; });
  add("processedRowsPerSecond", [](const StreamingBatch& batch) { return batch.processed_rows_per_second; });
  add("stateRows", [&](const StreamingBatch& batch) { return number(batch.state_rows); });
  add("stateBytes", [&](const StreamingBatch& batch) { return number(batch.state_bytes); });
  add("offsetsBehind", [&](const StreamingBatch& batch) { return number(batch.offsets_behind); });
  add("watermarkDelayNs", [&](const StreamingBatch& batch) {
    return batch.watermark_ns > 0 ? number(std::max<int64_t>(0, batch.start_ns - batch.watermark_ns)) : -1.0;
  });
  json->EndObject();
  WritePhases(batches, rows, columns, json);
  json->Member("dropped",
               rows.size() < batches.size()
                   ? fmt::format("{} of {} batches are shown: of each {} that follow each other, the longest.",
                                 rows.size(), batches.size(), (batches.size() + kMaxBatches - 1) / kMaxBatches)
                   : std::string());
  json->EndObject();
}

}  // namespace sparkprof
