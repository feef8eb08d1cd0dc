// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/text/text.h"
#include "server/responses.h"
#include "server/routes/answers.h"
#include "server/routes/query.h"

namespace sparkprof {
namespace {

HttpResponse ConfigurationResponse(const GroupConfiguration& configuration) {
  HttpResponse response = MakeResponse(200, "application/json", ConfigurationJson(configuration));
  response.headers.emplace_back("etag", fmt::format("\"{}\"", configuration.version));
  return response;
}

// The version in If-Match, "7" with quotes; nullopt without the header.
Result<std::optional<int64_t>> ExpectedVersion(const HttpRequest& request) {
  std::string_view text = request.Header("if-match");
  if (text.empty() || text == "*") return std::nullopt;
  if (text.size() > 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  const std::optional<int64_t> version = ParseInteger(text);
  if (!version) return Fail("If-Match: expected the configuration's ETag");
  return version;
}

}  // namespace

// With the parameter application: the settings in effect for this job.
HttpResponse GetConfiguration(ServerParts* parts, const HttpRequest& request, const Captured& captured) {
  const auto text = [&](std::string_view name) { return std::string(request.Parameter(name)); };
  const RunningJob job{text("application"), text("user"), text("queue")};
  const std::string tenant = TenantOfRequest(*parts, request);
  const Result<GroupConfiguration> configuration = job.application.empty()
                                                       ? parts->configurations->Get(tenant, captured[0])
                                                       : parts->configurations->For(tenant, captured[0], job);
  return configuration ? ConfigurationResponse(*configuration) : ErrorResponse(503, configuration.error().message);
}

HttpResponse PutConfiguration(ServerParts* parts, const HttpRequest& request, const Captured& captured) {
  const Result<std::optional<int64_t>> expected = ExpectedVersion(request);
  if (!expected) return ErrorResponse(400, expected.error().message);
  const std::string tenant = TenantOfRequest(*parts, request);
  const std::string subject = tenant.empty() ? captured[0] : fmt::format("{} of tenant {}", captured[0], tenant);
  const auto record = [&](const GroupConfiguration& before, const GroupConfiguration& after, const Change& change) {
    return parts->audit->Add(request.peer, RoleName(parts->options.access.RoleOf(request)), "configure", subject,
                             ConfigurationJson(before), ConfigurationJson(after), change);
  };
  const Configured configured = parts->configurations->Set(tenant, captured[0], request.body, *expected, record);
  switch (configured.status) {
    case ConfigureStatus::kInvalid:
      return ErrorResponse(400, configured.problem);
    case ConfigureStatus::kConflict:
      return ErrorResponse(412, configured.problem);
    case ConfigureStatus::kUnavailable:
      return ErrorResponse(503, configured.problem);
    case ConfigureStatus::kDone:
      break;
  }
  return ConfigurationResponse(configured.after);
}

}  // namespace sparkprof
