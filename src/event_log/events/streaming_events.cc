// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/json_parser.h"
#include "base/time.h"
#include "event_log/events/event_handlers.h"
#include "model/streaming_progress.h"

namespace sparkprof {
namespace {

// The run of an event, added if missing; null without its ID.
StreamingQuery* QueryOf(const simdjson::dom::object& event, EventState* state, int32_t* row) {
  const std::string_view run_id = TextAt(event, "runId");
  if (run_id.empty()) return nullptr;
  std::vector<StreamingQuery>& queries = state->application->streaming_queries;
  const auto [known, is_new] =
      state->streaming_query_rows.try_emplace(std::string(run_id), static_cast<int32_t>(queries.size()));
  if (is_new) queries.emplace_back().run_id = run_id;
  *row = known->second;
  StreamingQuery& query = queries[static_cast<size_t>(known->second)];
  if (query.id.empty()) query.id = TextAt(event, "id");
  if (query.name.empty()) query.name = TextAt(event, "name");
  return &query;
}

}  // namespace

bool AddStreamingStart(const simdjson::dom::object& event, EventState* state) {
  int32_t row = 0;
  StreamingQuery* const query = QueryOf(event, state, &row);
  if (query == nullptr) return false;
  query->start_ns = ParseTimestamp(TextAt(event, "timestamp")).value_or(0);
  state->clock.See(query->start_ns);
  return true;
}

bool AddStreamingProgress(const simdjson::dom::object& event, EventState* state) {
  simdjson::dom::object progress;
  if (!ObjectAt(event, "progress", &progress)) return false;
  int32_t row = 0;
  StreamingQuery* const query = QueryOf(progress, state, &row);
  if (query == nullptr) return false;
  simdjson::dom::object sink;
  if (query->sink.empty() && ObjectAt(progress, "sink", &sink)) query->sink = TextAt(sink, "description");
  simdjson::dom::array sources;
  simdjson::dom::object source;
  if (query->source.empty() && ArrayAt(progress, "sources", &sources) && sources.size() > 0 &&
      sources.at(0).get(source) == simdjson::SUCCESS)
    query->source = TextAt(source, "description");
  StreamingBatch batch = StreamingBatchOf(progress);
  batch.query = row;
  if (batch.start_ns > 0) state->clock.See(batch.start_ns + batch.duration_ns);
  state->application->streaming_batches.push_back(std::move(batch));
  return true;
}

bool AddStreamingEnd(const simdjson::dom::object& event, EventState* state) {
  int32_t row = 0;
  StreamingQuery* const query = QueryOf(event, state, &row);
  if (query == nullptr) return false;
  query->end_ns = state->clock.Last();  // the event has no time of its own
  query->failure = TextAt(event, "exception");
  return true;
}

}  // namespace sparkprof
