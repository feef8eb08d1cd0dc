// SPDX-License-Identifier: Apache-2.0
#include "server/querier/querier_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/time.h"
#include "server/runs/run_rows.h"

namespace sparkprof {
namespace {

constexpr std::string_view kFormats[] = {"PROFILE_FORMAT_UNSPECIFIED", "PROFILE_FORMAT_FLAMEGRAPH"};
constexpr std::string_view kAggregations[] = {"TIME_SERIES_AGGREGATION_TYPE_SUM"};
constexpr size_t kDefaultNodes = 8192;
constexpr size_t kMaxNodes = size_t{1} << 20;

MessageField StackSelector(uint32_t number, QuerierRequest* request) {
  const auto frame = [request]() -> std::vector<MessageField> {
    return {{1, "name", &request->call_site.emplace_back()}};
  };
  return {number, "stack_trace_selector", [request, frame]() -> std::vector<MessageField> {
            return {{1, "call_site", frame},
                    {2, "go_pgo", &request->has_filters},
                    {3, "frame_filter", &request->has_filters}};
          }};
}

// The fields common to all requests for samples, and `more`. `start` and `end` have consecutive numbers.
std::vector<MessageField> SampleFields(QuerierRequest* request, uint32_t start, std::vector<MessageField> more) {
  const MessageField shared[] = {{1, "profile_typeID", &request->type},
                                 {2, "label_selector", &request->selector},
                                 {start, "start", &request->start},
                                 {start + 1, "end", &request->end}};
  more.insert(more.end(), std::begin(shared), std::end(shared));
  return more;
}

}  // namespace

QueryResult<QueriedRange> ParseQueriedRange(int64_t start_ms, int64_t end_ms) {
  if (start_ms == 0 && end_ms == 0) return QueriedRange{};
  if (end_ms < start_ms) return Refuse(400, fmt::format("end: {} is before the start, {}", end_ms, start_ms));
  const int64_t from_ms = std::clamp<int64_t>(start_ms, 0, kLatestMillis);
  const int64_t to_ms = std::clamp<int64_t>(end_ms, 0, kLatestMillis);
  return QueriedRange{from_ms * kNanosPerMilli, to_ms * kNanosPerMilli + kNanosPerMilli - 1};
}

QueryResult<QueriedRange> QuerierRequest::Range() const { return ParseQueriedRange(start, end); }

QueryResult<SampleQuery> QuerierRequest::Samples() const {
  if (format != 0 && format != 1) return Refuse(501, "format: only PROFILE_FORMAT_FLAMEGRAPH is supported");
  if (has_profiles) return Refuse(501, "profile_id_selector: a recording has no profiles of its own");
  if (has_filters) return Refuse(501, "stack_trace_selector: only call_site is supported");
  if (type.empty()) return Refuse(400, "profile_typeID: missing; ProfileTypes lists the types");
  Result<LabelMatchers> conditions = ParseSelector(selector);
  if (!conditions) return Refuse(400, "label_selector: " + conditions.error().message);
  const QueryResult<QueriedRange> range = Range();
  if (!range) return tl::unexpected(range.error());
  return SampleQuery{type, std::move(*conditions), *range};
}

size_t QuerierRequest::MaxNodes() const {
  return max_nodes <= 0 ? kDefaultNodes : std::min(static_cast<size_t>(max_nodes), kMaxNodes);
}

std::vector<MessageField> RangeFields(QuerierRequest* request) {
  return {{1, "start", &request->start}, {2, "end", &request->end}};
}

std::vector<MessageField> LabelNamesFields(QuerierRequest* request) {
  return {{1, "matchers", &request->matchers}, {2, "start", &request->start}, {3, "end", &request->end}};
}

std::vector<MessageField> LabelValuesFields(QuerierRequest* request) {
  return {{1, "name", &request->name},
          {2, "matchers", &request->matchers},
          {3, "start", &request->start},
          {4, "end", &request->end}};
}

std::vector<MessageField> SeriesFields(QuerierRequest* request) {
  return {{1, "matchers", &request->matchers},
          {2, "label_names", &request->label_names},
          {3, "start", &request->start},
          {4, "end", &request->end}};
}

std::vector<MessageField> SelectSeriesFields(QuerierRequest* request) {
  return SampleFields(request, 3,
                      {{5, "group_by", &request->group_by},
                       {6, "step", &request->step},
                       {7, "aggregation", MessageEnum{&request->aggregation, kAggregations}},
                       StackSelector(8, request),
                       {9, "limit", &request->limit}});
}

std::vector<MessageField> StacktracesFields(QuerierRequest* request) {
  return SampleFields(request, 3,
                      {{5, "max_nodes", &request->max_nodes},
                       {6, "format", MessageEnum{&request->format, kFormats}},
                       StackSelector(7, request),
                       {8, "profile_id_selector", &request->has_profiles},
                       {9, "span_selector", &request->has_spans}});
}

std::vector<MessageField> SpanProfileFields(QuerierRequest* request) {
  return SampleFields(request, 4,
                      {{3, "span_selector", &request->has_spans},
                       {6, "max_nodes", &request->max_nodes},
                       {7, "format", MessageEnum{&request->format, kFormats}}});
}

std::vector<MessageField> ProfileFields(QuerierRequest* request) {
  return SampleFields(request, 3,
                      {{5, "max_nodes", &request->max_nodes},
                       StackSelector(6, request),
                       {7, "profile_id_selector", &request->has_profiles}});
}

}  // namespace sparkprof
