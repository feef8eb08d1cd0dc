// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <map>
#include <numeric>

#include "base/text/json_writer.h"
#include "base/time.h"
#include "profiles/frame_weights.h"
#include "server/applications/application_json.h"
#include "server/responses.h"
#include "server/routes/answers.h"
#include "server/routes/query.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxFunctions = 200;
constexpr std::string_view kDefaultEvent = "cpu";

Result<GroupRange> ParseRange(const ServerParts& parts, const HttpRequest& request, const std::string& group) {
  const Result<TimeParameters> range = RangeParameters(request);
  if (!range) return tl::unexpected(range.error());
  return GroupRange{.group = group,
                    .from_ns = range->from_ns,
                    .to_ns = range->to_ns,
                    .viewer = parts.options.access.ViewerOf(request)};
}

std::string EventOf(const HttpRequest& request) {
  const std::string_view event = request.Parameter("event");
  return std::string(event.empty() ? kDefaultEvent : event);
}

// The requested samples, or an error response.
struct GroupSamples {
  std::optional<Profile> profile;
  HttpResponse refusal;
};

GroupSamples FindSamples(ServerParts* parts, const HttpRequest& request, const std::string& group) {
  const Result<GroupRange> range = ParseRange(*parts, request, group);
  if (!range) return {std::nullopt, ErrorResponse(400, range.error().message)};
  Result<Profile> profile = parts->catalogue->GroupSamples(*range, EventOf(request));
  if (!profile) return {std::nullopt, ErrorResponse(503, profile.error().message)};
  profile->name = group;
  return {std::move(*profile), {}};
}

double Seconds(int64_t ns) { return static_cast<double>(ns) / static_cast<double>(kNanosPerSecond); }

}  // namespace

HttpResponse ListGroups(ServerParts* parts, const HttpRequest& request, const Captured&) {
  const Result<std::vector<GroupRow>> groups = parts->catalogue->Groups(parts->options.access.ViewerOf(request));
  if (!groups) return ErrorResponse(503, groups.error().message);
  JsonWriter json;
  json.BeginObject().Key("groups").BeginArray();
  for (const GroupRow& group : *groups) {
    json.BeginObject().Member("name", group.name).Member("applications", group.applications);
    json.Member("running", group.running).Member("failed", group.failed);
    json.Member("firstStart", group.first_start_ns / kNanosPerMilli);
    json.Member("lastStart", group.last_start_ns / kNanosPerMilli);
    json.Member("cpuSeconds", Seconds(group.cpu_ns));
    WriteCostOf(group.core_ms, group.memory_mib_s, parts->options.prices, &json);
    json.EndObject();
  }
  json.EndArray().EndObject();
  return JsonResponse(std::move(json));
}

HttpResponse GetGroupFlame(ServerParts* parts, const HttpRequest& request, const Captured& captured) {
  const Result<PictureRequest> picture =
      ParsePictureParameters(PictureKind::kFlame, ParametersWithout(request.parameters, kGroupSamplesParameters));
  if (!picture) return ErrorResponse(400, picture.error().message);
  GroupSamples samples = FindSamples(parts, request, captured[0]);
  if (!samples.profile) return samples.refusal;
  return PictureResponse(DrawFlame(std::move(*samples.profile), *picture), {});
}

HttpResponse GetGroupReport(ServerParts* parts, const HttpRequest& request, const Captured& captured) {
  if (Result<void> known = CheckParameters(request, kGroupSamplesParameters); !known) {
    return ErrorResponse(400, known.error().message);
  }
  GroupSamples samples = FindSamples(parts, request, captured[0]);
  if (!samples.profile) return samples.refusal;
  Picture data = DrawPageData(std::move(*samples.profile));
  const bool is_drawn = data.status == PictureStatus::kDrawn;
  return PictureResponse(std::move(data), is_drawn ? HttpHeaders{{"content-encoding", "gzip"}} : HttpHeaders{});
}

HttpResponse GetGroupFunctions(ServerParts* parts, const HttpRequest& request, const Captured& captured) {
  if (Result<void> known = CheckParameters(request, kGroupSamplesParameters); !known) {
    return ErrorResponse(400, known.error().message);
  }
  const GroupSamples samples = FindSamples(parts, request, captured[0]);
  if (!samples.profile) return samples.refusal;
  const std::optional<Profile>& profile = samples.profile;
  const Functions functions(*profile);
  std::vector<uint32_t> rows(profile->samples.size());
  std::iota(rows.begin(), rows.end(), 0);
  int64_t total = 0;
  for (const Sample& sample : profile->samples) total += sample.weight;
  JsonWriter json;
  json.BeginObject().Member("event", EventOf(request));
  json.Member("unit", profile->events.empty() ? "" : profile->events.front().unit).Member("total", total);
  json.Key("functions").BeginArray();
  for (const FunctionWeight& weight : TopFunctions(WeighFunctions(*profile, functions, rows), kMaxFunctions)) {
    json.BeginObject().Member("name", FrameLabel(profile->strings, functions.Get(weight.function)));
    json.Member("self", weight.self).Member("total", weight.total).EndObject();
  }
  json.EndArray().EndObject();
  return JsonResponse(std::move(json));
}

HttpResponse GetGroupFindings(ServerParts* parts, const HttpRequest& request, const Captured& captured) {
  if (Result<void> known = CheckParameters(request, "from to"); !known) {
    return ErrorResponse(400, known.error().message);
  }
  const Result<GroupRange> range = ParseRange(*parts, request, captured[0]);
  if (!range) return ErrorResponse(400, range.error().message);
  const Result<std::vector<GroupFinding>> findings = parts->catalogue->GroupFindings(*range);
  if (!findings) return ErrorResponse(503, findings.error().message);
  JsonWriter json;
  json.BeginObject().Key("findings").BeginArray();
  for (const GroupFinding& finding : *findings) {
    json.BeginObject().Member("rule", finding.rule).Member("severity", finding.severity).Member("title", finding.title);
    json.Member("applications", finding.applications).Member("last", finding.last_ns / kNanosPerMilli);
    json.Member("latestApplication", finding.latest.id).Member("gainSeconds", Seconds(finding.gain_ns)).EndObject();
  }
  json.EndArray().EndObject();
  return JsonResponse(std::move(json));
}

HttpResponse GetGroupSeries(ServerParts* parts, const HttpRequest& request, const Captured& captured) {
  if (Result<void> known = CheckParameters(request, "from to"); !known) {
    return ErrorResponse(400, known.error().message);
  }
  const Result<GroupRange> range = ParseRange(*parts, request, captured[0]);
  if (!range) return ErrorResponse(400, range.error().message);
  const Result<std::vector<SeriesMaximum>> maxima = parts->catalogue->GroupMaxima(*range);
  if (!maxima) return ErrorResponse(503, maxima.error().message);
  std::map<std::string, std::vector<const SeriesMaximum*>> by_series;
  for (const SeriesMaximum& maximum : *maxima) by_series[maximum.series].push_back(&maximum);
  JsonWriter json;
  json.BeginObject().Key("series").BeginArray();
  for (auto& [name, points] : by_series) {
    std::sort(points.begin(), points.end(),
              [](const SeriesMaximum* a, const SeriesMaximum* b) { return a->hour_ns < b->hour_ns; });
    json.BeginObject().Member("name", name).Key("points").BeginArray();
    for (const SeriesMaximum* point : points) {
      json.BeginArray().Value(point->hour_ns / kNanosPerMilli).Value(point->value).EndArray();
    }
    json.EndArray().EndObject();
  }
  json.EndArray().EndObject();
  return JsonResponse(std::move(json));
}

}  // namespace sparkprof
