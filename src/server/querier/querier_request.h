// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "server/querier/message_codec.h"
#include "server/querier/queried_applications.h"
#include "server/querier/sample_queries.h"

namespace sparkprof {

// The requests of Pyroscope's querier.v1.QuerierService, with its field numbers and names. Times are ms since the Unix
// epoch; without them the range is unlimited.
struct QuerierRequest {
  std::string name;                   // name of a label
  std::vector<std::string> matchers;  // selectors; the result has everything that matches one of them
  std::vector<std::string> label_names;
  std::string type;
  std::string selector;
  int64_t start = 0, end = 0;
  std::vector<std::string> group_by;
  double step = 0;          // s
  int64_t aggregation = 0;  // 0 = sum
  int64_t limit = 0;
  int64_t max_nodes = 0;
  int64_t format = 0;                              // 0 and 1 = flame graph
  std::vector<std::string> call_site;              // frames from the root
  bool has_spans = false;                          // recordings have no spans, so the result is empty
  bool has_profiles = false, has_filters = false;  // unsupported conditions

  QueryResult<QueriedRange> Range() const;
  // Fails for unsupported options.
  QueryResult<SampleQuery> Samples() const;
  // Number of frames to show in a flame graph.
  size_t MaxNodes() const;
};

// Fields of each method's request.
std::vector<MessageField> RangeFields(QuerierRequest* request);
std::vector<MessageField> LabelNamesFields(QuerierRequest* request);
std::vector<MessageField> LabelValuesFields(QuerierRequest* request);
std::vector<MessageField> SeriesFields(QuerierRequest* request);
std::vector<MessageField> SelectSeriesFields(QuerierRequest* request);
std::vector<MessageField> StacktracesFields(QuerierRequest* request);
std::vector<MessageField> SpanProfileFields(QuerierRequest* request);
std::vector<MessageField> ProfileFields(QuerierRequest* request);

// Converts a range in ms; both 0 = unlimited.
QueryResult<QueriedRange> ParseQueriedRange(int64_t start_ms, int64_t end_ms);

}  // namespace sparkprof
