// SPDX-License-Identifier: Apache-2.0
#include <protozero/pbf_writer.hpp>

#include "base/redaction/redaction.h"
#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "server/ingest/profile_requests.h"
#include "server/routes/answers.h"
#include "server/routes/stored_requests.h"

namespace sparkprof {
namespace {

constexpr std::string_view kProtobuf = "application/x-protobuf", kJson = "application/json";

bool IsJson(const HttpRequest& request) {
  return ToLowerAscii(Trim(Split(request.Header("content-type"), ';').front())) == kJson;
}

// Codes of google.rpc.Status.
int RpcCode(unsigned status) {
  switch (status) {
    case 400:
    case 415:
      return 3;  // INVALID_ARGUMENT
    case 401:
      return 16;  // UNAUTHENTICATED
    case 403:
      return 7;  // PERMISSION_DENIED
    case 413:
      return 8;  // RESOURCE_EXHAUSTED
    case 503:
      return 14;  // UNAVAILABLE
    default:
      return 13;  // INTERNAL
  }
}

}  // namespace

HttpResponse OtlpError(const HttpRequest& request, unsigned status, std::string_view message) {
  const std::string redacted = RedactText(message);
  HttpResponse response;
  if (IsJson(request)) {
    JsonWriter json;
    json.BeginObject().Member("code", RpcCode(status)).Member("message", redacted).EndObject();
    response = MakeResponse(status, std::string(kJson), json.Take());
  } else {
    std::string body;
    protozero::pbf_writer writer{body};
    writer.add_int32(1, RpcCode(status));
    writer.add_string(2, redacted);
    response = MakeResponse(status, std::string(kProtobuf), std::move(body));
  }
  if (status == 503) response.headers.emplace_back("retry-after", "10");
  if (status == 401) response.headers.emplace_back("www-authenticate", "Bearer");
  return response;
}

HttpResponse PostOtlpProfiles(ServerParts* parts, const HttpRequest& request, const Captured&) {
  const bool is_json = IsJson(request);
  if (!is_json && !request.Header("content-type").starts_with(kProtobuf)) {
    return OtlpError(request, 415, "expected the content type application/x-protobuf or application/json");
  }
  const auto parse = [&]() -> Result<ReceivedProfiles> {
    const Result<std::string> body = ExpandBody(request.body);
    if (!body) return tl::unexpected(body.error());
    return ParseOtlpProfiles(*body, is_json);
  };
  const StoredProfiles stored = StoreProfiles(parts, request, parse);
  if (stored.status != 200) return OtlpError(request, stored.status, stored.problem);
  return MakeResponse(200, std::string(is_json ? kJson : kProtobuf), is_json ? "{}" : "");
}

}  // namespace sparkprof
