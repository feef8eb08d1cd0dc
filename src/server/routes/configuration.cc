// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/text/text.h"
#include "server/responses.h"
#include "server/routes/answers.h"

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

HttpResponse GetConfiguration(ServerParts* parts, const HttpRequest&, const Captured& captured) {
  const Result<GroupConfiguration> configuration = parts->configurations->Get(captured[0]);
  return configuration ? ConfigurationResponse(*configuration) : ErrorResponse(503, configuration.error().message);
}

HttpResponse PutConfiguration(ServerParts* parts, const HttpRequest& request, const Captured& captured) {
  const Result<std::optional<int64_t>> expected = ExpectedVersion(request);
  if (!expected) return ErrorResponse(400, expected.error().message);
  const auto record = [&](const GroupConfiguration& before, const GroupConfiguration& after, const Change& change) {
    return parts->audit->Add(request.peer, RoleName(parts->options.access.RoleOf(request)), "configure", captured[0],
                             ConfigurationJson(before), ConfigurationJson(after), change);
  };
  const Configured configured = parts->configurations->Set(captured[0], request.body, *expected, record);
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
