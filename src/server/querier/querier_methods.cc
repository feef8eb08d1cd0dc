// SPDX-License-Identifier: Apache-2.0
#include "server/querier/querier_methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/io/compression.h"
#include "base/time.h"
#include "profiles/profile_diff.h"
#include "render/writers/profile_writers.h"
#include "server/querier/sample_labels.h"
#include "server/querier/sample_queries.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxPprofBytes = size_t{64} << 20;
constexpr size_t kMaxTexts = 64;  // selectors or labels per request; each selector searches the catalogue
constexpr double kLongestStep = 365 * 24 * 3600.0;  // s

struct QuerierContext {
  const QueriedApplications& applications;
  MessageCodec codec;
};

using QueryAnswer = QueryResult<std::string>;

// Label sets for each selector of the request; without selectors, for all applications.
QueryResult<LabelSets> RequestedSets(const QuerierContext& context, const QuerierRequest& request,
                                     const std::vector<std::string>& names) {
  const QueryResult<QueriedRange> range = request.Range();
  if (!range) return tl::unexpected(range.error());
  std::vector<std::string> selectors = request.matchers;
  if (selectors.empty()) selectors.emplace_back();
  LabelSets all;
  for (const std::string& selector : selectors) {
    const Result<LabelMatchers> matchers = ParseSelector(selector);
    if (!matchers) return Refuse(400, "matchers: " + matchers.error().message);
    QueryResult<LabelSets> sets = FindLabelSets(context.applications, names, *matchers, *range);
    if (!sets) return sets;
    all.merge(*sets);
  }
  return all;
}

void WriteLabels(const std::vector<std::string>& names, const std::vector<std::string>& values,
                 MessageWriter* message) {
  std::vector<size_t> positions;
  for (size_t i = 0; i < names.size(); ++i) {
    if (!values[i].empty()) positions.push_back(i);
  }
  message->Messages(1, "labels", positions, [&](size_t position, MessageWriter* label) {
    label->Text(1, "name", names[position]);
    label->Text(2, "value", values[position]);
  });
}

QueryAnswer AnswerProfileTypes(const QuerierContext& context, const QuerierRequest& request) {
  const QueryResult<QueriedRange> range = request.Range();
  if (!range) return tl::unexpected(range.error());
  const QueryResult<std::vector<QueriedApplication>> found = context.applications.Find({}, *range);
  if (!found) return tl::unexpected(found.error());
  std::map<std::string, ProfileType> types;
  for (const QueriedApplication& queried : *found) {
    for (const ProfileType& type : queried.types) types.emplace(type.Id(), type);
  }
  return EncodeMessage(context.codec, [&](MessageWriter* message) {
    message->Messages(1, "profileTypes", types, [](const auto& type, MessageWriter* row) {
      row->Text(1, "ID", type.first);
      row->Text(2, "name", type.second.name);
      row->Text(4, "sampleType", type.second.sample_type);
      row->Text(5, "sampleUnit", type.second.sample_unit);
      row->Text(6, "periodType", type.second.period_type);
      row->Text(7, "periodUnit", type.second.period_unit);
    });
  });
}

QueryAnswer AnswerLabelNames(const QuerierContext& context, const QuerierRequest& request) {
  const QueryResult<LabelSets> sets = RequestedSets(context, request, {});
  if (!sets) return tl::unexpected(sets.error());
  std::vector<std::string> names;
  if (!sets->empty()) {
    names.assign(std::begin(kApplicationLabels), std::end(kApplicationLabels));
    names.insert(names.end(), std::begin(kSampleLabels), std::end(kSampleLabels));
    names.emplace_back(kProfileTypeLabel);
    std::sort(names.begin(), names.end());
  }
  return EncodeMessage(context.codec, [&](MessageWriter* message) { message->Texts(1, "names", names); });
}

QueryAnswer AnswerLabelValues(const QuerierContext& context, const QuerierRequest& request) {
  if (request.name.empty()) return Refuse(400, "name: missing; LabelNames lists the labels");
  const QueryResult<LabelSets> sets = RequestedSets(context, request, {request.name});
  if (!sets) return tl::unexpected(sets.error());
  std::vector<std::string> values;
  for (const std::vector<std::string>& set : *sets) {
    if (!set.front().empty()) values.push_back(set.front());
  }
  return EncodeMessage(context.codec, [&](MessageWriter* message) { message->Texts(1, "names", values); });
}

QueryAnswer AnswerSeries(const QuerierContext& context, const QuerierRequest& request) {
  std::vector<std::string> names = request.label_names;
  if (names.empty()) {
    names.assign(std::begin(kApplicationLabels), std::end(kApplicationLabels));
    names.emplace_back(kProfileTypeLabel);
  }
  const QueryResult<LabelSets> sets = RequestedSets(context, request, names);
  if (!sets) return tl::unexpected(sets.error());
  return EncodeMessage(context.codec, [&](MessageWriter* message) {
    message->Messages(2, "labelsSet", *sets, [&](const std::vector<std::string>& values, MessageWriter* set) {
      WriteLabels(names, values, set);
    });
  });
}

QueryAnswer AnswerSelectSeries(const QuerierContext& context, const QuerierRequest& request) {
  const QueryResult<SampleQuery> samples = request.Samples();
  if (!samples) return tl::unexpected(samples.error());
  if (request.aggregation != 0) return Refuse(501, "aggregation: only TIME_SERIES_AGGREGATION_TYPE_SUM is supported");
  if (!request.call_site.empty()) return Refuse(501, "stack_trace_selector: unsupported for series");
  if (request.start == 0 && request.end == 0) return Refuse(400, "start and end: missing");
  if (!(request.step >= 0.001 && request.step <= kLongestStep)) {
    return Refuse(400, fmt::format("step: {} is not a number of seconds from 0.001 to {}", request.step, kLongestStep));
  }
  const auto step_ns = static_cast<int64_t>(request.step * 1000 + 0.5) * kNanosPerMilli;
  const QueryResult<std::vector<SampleSeries>> series =
      SumSteps(context.applications, *samples, request.group_by, step_ns,
               static_cast<size_t>(std::max<int64_t>(request.limit, 0)));
  if (!series) return tl::unexpected(series.error());
  return EncodeMessage(context.codec, [&](MessageWriter* message) {
    message->Messages(1, "series", *series, [&](const SampleSeries& one, MessageWriter* row) {
      WriteLabels(request.group_by, one.labels, row);
      row->Messages(2, "points", one.points, [](const auto& of_step, MessageWriter* point) {
        point->Number(1, "value", static_cast<double>(of_step.second));
        point->Integer(2, "timestamp", of_step.first / kNanosPerMilli);
      });
    });
  });
}

void WriteFlame(const FlameLevels& flame, MessageWriter* message) {
  message->Texts(1, "names", flame.names);
  message->Messages(2, "levels", flame.levels, [](const std::vector<int64_t>& numbers, MessageWriter* level) {
    level->Integers(1, "values", numbers);
  });
  message->Integer(3, "total", flame.total);
  message->Integer(4, "maxSelf", flame.max_self);
}

QueryResult<Profile> RequestedSamples(const QueriedApplications& applications, const QuerierRequest& request) {
  const QueryResult<SampleQuery> samples = request.Samples();
  if (!samples) return tl::unexpected(samples.error());
  if (request.has_spans) return Profile();
  QueryResult<Profile> merged = MergeSamples(applications, *samples);
  if (merged) KeepCallSite(request.call_site, &*merged);
  return merged;
}

QueryAnswer AnswerStacktraces(const QuerierContext& context, const QuerierRequest& request) {
  const QueryResult<Profile> merged = RequestedSamples(context.applications, request);
  if (!merged) return tl::unexpected(merged.error());
  const FlameLevels flame = MakeFlameLevels(*merged, 0, std::nullopt, request.MaxNodes());
  return EncodeMessage(context.codec, [&](MessageWriter* message) {
    if (flame.levels.empty()) return;
    message->Message(1, "flamegraph", [&](MessageWriter* graph) { WriteFlame(flame, graph); });
  });
}

QueryAnswer AnswerMergeProfile(const QuerierContext& context, const QuerierRequest& request) {
  if (context.codec == MessageCodec::kJson) {
    return Refuse(501, "SelectMergeProfile: only application/proto is supported");
  }
  const QueryResult<Profile> merged = RequestedSamples(context.applications, request);
  if (!merged) return tl::unexpected(merged.error());
  if (merged->samples.empty()) return std::string();
  std::string compressed;
  OutputFile memory = OutputFile::ToMemory(&compressed);
  WritePprof(*merged, 0, &memory);
  if (const Result<void> written = memory.Commit(); !written) return Refuse(500, written.error().message);
  const std::unique_ptr<ByteSource> source = DecodeGzip(ViewSource(compressed), "the profile");
  Result<std::string> message = ReadAll(source.get(), kMaxPprofBytes, "the profile");
  if (!message) return Refuse(429, message.error().message + "; select less, such as a stage or a range of time");
  return std::move(*message);
}

QueryAnswer AnswerDiff(const QuerierContext& context, const ComparedRequests& sides) {
  const QueryResult<FlameLevels> flame = CompareSamples(context.applications, sides);
  if (!flame) return tl::unexpected(flame.error());
  return EncodeMessage(context.codec, [&](MessageWriter* message) {
    if (flame->levels.empty()) return;
    message->Message(1, "flamegraph", [&](MessageWriter* graph) {
      WriteFlame(*flame, graph);
      graph->Integer(5, "leftTicks", flame->base_total);
      graph->Integer(6, "rightTicks", flame->event_total);
    });
  });
}

QueryAnswer AnswerStats(const QuerierContext& context, const QuerierRequest&) {
  const QueryResult<std::optional<QueriedRange>> times = context.applications.Times();
  if (!times) return tl::unexpected(times.error());
  return EncodeMessage(context.codec, [&](MessageWriter* message) {
    if (!*times) return;
    message->Boolean(1, "dataIngested", true);
    message->Integer(2, "oldestProfileTime", (*times)->from_ns / kNanosPerMilli);
    message->Integer(3, "newestProfileTime", (*times)->to_ns / kNanosPerMilli);
  });
}

template <std::vector<MessageField> (*kFields)(QuerierRequest*),
          QueryAnswer (*kAnswer)(const QuerierContext&, const QuerierRequest&)>
QueryAnswer DecodeAndAnswer(const QuerierContext& context, std::string_view body) {
  QuerierRequest request;
  const Result<void> read = DecodeMessage(context.codec, body, kFields(&request));
  if (!read) return Refuse(400, read.error().message);
  for (const std::vector<std::string>* texts : {&request.matchers, &request.label_names, &request.group_by}) {
    if (texts->size() > kMaxTexts) {
      return Refuse(
          400, fmt::format("the request has {} selectors or labels, at most {} are allowed", texts->size(), kMaxTexts));
    }
  }
  return kAnswer(context, request);
}

QueryAnswer DecodeAndCompare(const QuerierContext& context, std::string_view body) {
  ComparedRequests sides;
  const std::vector<MessageField> fields = {{1, "left", [&] { return StacktracesFields(&sides.left); }},
                                            {2, "right", [&] { return StacktracesFields(&sides.right); }}};
  const Result<void> read = DecodeMessage(context.codec, body, fields);
  return read ? AnswerDiff(context, sides) : Refuse(400, read.error().message);
}

std::vector<MessageField> NoFields(QuerierRequest*) { return {}; }

struct QuerierMethod {
  std::string_view name;
  QueryAnswer (*answer)(const QuerierContext& context, std::string_view body);
};
constexpr QuerierMethod kMethods[] = {
    {"ProfileTypes", DecodeAndAnswer<RangeFields, AnswerProfileTypes>},
    {"LabelNames", DecodeAndAnswer<LabelNamesFields, AnswerLabelNames>},
    {"LabelValues", DecodeAndAnswer<LabelValuesFields, AnswerLabelValues>},
    {"Series", DecodeAndAnswer<SeriesFields, AnswerSeries>},
    {"SelectSeries", DecodeAndAnswer<SelectSeriesFields, AnswerSelectSeries>},
    {"SelectMergeStacktraces", DecodeAndAnswer<StacktracesFields, AnswerStacktraces>},
    {"SelectMergeSpanProfile", DecodeAndAnswer<SpanProfileFields, AnswerStacktraces>},
    {"SelectMergeProfile", DecodeAndAnswer<ProfileFields, AnswerMergeProfile>},
    {"Diff", DecodeAndCompare},
    {"GetProfileStats", DecodeAndAnswer<NoFields, AnswerStats>},
};

}  // namespace

QueryResult<FlameLevels> CompareSamples(const QueriedApplications& applications, const ComparedRequests& sides) {
  if (sides.left.type != sides.right.type) return Refuse(400, "left and right: the profile types differ");
  QueryResult<Profile> left = RequestedSamples(applications, sides.left);
  if (!left) return tl::unexpected(left.error());
  QueryResult<Profile> right = RequestedSamples(applications, sides.right);
  if (!right) return tl::unexpected(right.error());
  for (Profile* const side : {&*left, &*right}) {
    if (side->events.empty()) (void)side->AddEvent("none", "count");
  }
  const Profile together = PutTogether(*left, 0, *right, 0, /*normalize=*/false);
  return MakeFlameLevels(together, 1, 0, std::max(sides.left.MaxNodes(), sides.right.MaxNodes()));
}

std::optional<QueryResult<std::string>> AnswerQuerier(std::string_view method, MessageCodec codec,
                                                      const QueriedApplications& applications, std::string_view body) {
  const auto* const known = std::find_if(std::begin(kMethods), std::end(kMethods),
                                         [method](const QuerierMethod& one) { return one.name == method; });
  if (known == std::end(kMethods)) return std::nullopt;
  return known->answer({applications, codec}, body);
}

}  // namespace sparkprof
