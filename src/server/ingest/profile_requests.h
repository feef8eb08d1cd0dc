// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/message.h"
#include "server/ingest/profile_ingest.h"

namespace sparkprof {

// Converts requests of Pyroscope's clients to profiles. Errors name the parameter or field and the expected value.

// Profiles of a request, which refer to its body.
struct ReceivedProfiles {
  std::vector<ReceivedProfile> profiles;
  std::deque<std::string> contents;  // decoded contents, which `profiles` refer to
};

// Parses POST /ingest?name=APP{LABELS}&from=…&until=…&format=…
Result<ReceivedProfiles> ParseIngest(const HttpRequest& request, int64_t now_ns);

// Parses POST /push.v1.PusherService/Push: an uncompressed PushRequest in JSON or protobuf.
Result<ReceivedProfiles> ParsePush(std::string_view body, bool is_json);

// Parses an uncompressed ExportProfilesServiceRequest (JSON or protobuf) into one profile per service. Resources with
// equal attributes, apart from those of a process, are one service. Attributes become labels; the service is
// "service.name", else the container.
Result<ReceivedProfiles> ParseOtlpProfiles(std::string_view body, bool is_json);

// A part of a form (RFC 7578).
struct FormPart {
  std::string name;
  std::string_view content;  // part of the body
};

// Splits a body with the Content-Type "multipart/form-data; boundary=…" into parts. Fails for other types and for a
// body without a final boundary.
Result<std::vector<FormPart>> ParseMultipart(std::string_view content_type, std::string_view body);

}  // namespace sparkprof
