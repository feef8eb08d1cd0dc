// SPDX-License-Identifier: Apache-2.0
#include "server/routes/query.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"
#include "base/time.h"
#include "server/responses.h"
#include "server/runs/run_rows.h"
#include "text_log/given_time.h"

namespace sparkprof {
namespace {

bool Names(std::string_view list, std::string_view name) {
  const std::vector<std::string_view> names = Split(list, ' ');
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

Result<std::optional<int64_t>> TimeParameter(const HttpRequest& request, std::string_view name) {
  const std::string_view text = request.Parameter(name);
  if (text.empty()) return std::nullopt;
  int64_t time_ns = -1;
  if (const std::optional<int64_t> millis = ParseInteger(text)) {
    if (*millis >= 0 && *millis <= kLatestMillis) time_ns = *millis * kNanosPerMilli;
  } else if (const Result<GivenTime> time = ParseGivenTime(name, text); time && time->time.has_zone) {
    time_ns = time->ToUtc();
  }
  if (time_ns >= 0 && time_ns <= kLatestMillis * kNanosPerMilli) return time_ns;
  return Fail(
      fmt::format("{}: invalid time '{}'; expected ms since the Unix epoch before the year 2100, or for instance "
                  "2026-11-22T10:00:00Z",
                  name, text));
}

Result<TimeParameters> RangeParameters(const HttpRequest& request) {
  const auto from = TimeParameter(request, "from"), to = TimeParameter(request, "to");
  if (!from) return tl::unexpected(from.error());
  if (!to) return tl::unexpected(to.error());
  return TimeParameters{*from, *to};
}

Result<void> CheckParameters(const HttpRequest& request, std::string_view known) {
  for (const auto& [name, value] : request.parameters) {
    if (!Names(known, name)) return Fail(fmt::format("unknown parameter '{}'; use {}", name, known));
  }
  return {};
}

Result<void> CheckParametersAndValues(const HttpRequest& request, std::string_view known) {
  if (Result<void> checked = CheckParameters(request, known); !checked) return checked;
  for (const auto& [name, value] : request.parameters) {
    if (value.empty()) return Fail(fmt::format("{}: requires a value", name));
  }
  return {};
}

std::string ResolveEntry(const ServerParts& parts, const HttpRequest& request, const std::string& name) {
  return parts.entries->Resolve(name, parts.options.access.ViewerOf(request));
}

std::string TenantOfRequest(const ServerParts& parts, const HttpRequest& request) {
  return *parts.options.access.TenantOf(request);
}

std::optional<HttpResponse> RefuseViewer(const ServerParts& parts, const HttpRequest& request, const std::string& id,
                                         std::string_view viewers) {
  const std::optional<Viewer> viewer = parts.options.access.ViewerOf(request);
  if (!viewer || MayView(viewers, *viewer)) return std::nullopt;
  return ErrorResponse(403, viewer->user.empty()
                                ? fmt::format("a user is required to read application {}: the token names none", id)
                                : fmt::format("user {} may not read application {}: its spark.ui.view.acls does not "
                                              "include this user",
                                              viewer->user, id));
}

HttpParameters ParametersWithout(const HttpParameters& parameters, std::string_view without) {
  HttpParameters rest;
  for (const auto& parameter : parameters) {
    if (!Names(without, parameter.first)) rest.push_back(parameter);
  }
  return rest;
}

}  // namespace sparkprof
