// SPDX-License-Identifier: Apache-2.0
#include "base/redaction/redaction.h"
#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "base/time.h"
#include "server/ingest/profile_requests.h"
#include "server/routes/answers.h"
#include "server/routes/stored_requests.h"

namespace sparkprof {
namespace {

std::string_view ConnectCode(unsigned status) {
  switch (status) {
    case 400:
      return "invalid_argument";
    case 401:
      return "unauthenticated";
    case 403:
      return "permission_denied";
    case 404:
      return "not_found";
    case 413:
    case 429:
      return "resource_exhausted";
    case 415:
    case 501:
      return "unimplemented";
    case 503:
      return "unavailable";
    case 504:
      return "deadline_exceeded";
    default:
      return "internal";
  }
}

}  // namespace

HttpResponse PyroscopeError(const HttpRequest&, unsigned status, std::string_view message) {
  JsonWriter json;
  json.BeginObject().Member("code", ConnectCode(status)).Member("message", RedactText(message)).EndObject();
  HttpResponse response = MakeResponse(status, "application/json", json.Take() + "\n");
  if (status == 503) response.headers.emplace_back("retry-after", "10");
  if (status == 401) response.headers.emplace_back("www-authenticate", "Basic realm=\"sparkprof\"");
  return response;
}

HttpResponse PostIngest(ServerParts* parts, const HttpRequest& request, const Captured&) {
  const StoredProfiles stored = StoreProfiles(parts, request, [&] { return ParseIngest(request, EpochNanos()); });
  return stored.status == 200 ? MakeResponse(200, "text/plain", "")
                              : PyroscopeError(request, stored.status, stored.problem);
}

HttpResponse PostPush(ServerParts* parts, const HttpRequest& request, const Captured&) {
  const std::string type = ToLowerAscii(Trim(Split(request.Header("content-type"), ';').front()));
  const bool is_json = type == "application/json";
  if (!is_json && type != "application/proto") {
    return PyroscopeError(request, 415, "expected the content type application/proto or application/json");
  }
  const auto parse = [&]() -> Result<ReceivedProfiles> {
    const Result<std::string> body = ExpandBody(request.body);
    if (!body) return tl::unexpected(body.error());
    return ParsePush(*body, is_json);
  };
  const StoredProfiles stored = StoreProfiles(parts, request, parse);
  if (stored.status != 200) return PyroscopeError(request, stored.status, stored.problem);
  return MakeResponse(200, type, is_json ? "{}" : "");
}

}  // namespace sparkprof
