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

}  // namespace sparkprof
