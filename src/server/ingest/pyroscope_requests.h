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

// The requests of Pyroscope's clients as profiles. Errors name the parameter or field, and what was expected.

// A request and what it contains, which refers to it.
struct ReceivedProfiles {
  std::vector<ReceivedProfile> profiles;
  std::deque<std::string> contents;  // what had to be decoded
};

// POST /ingest?name=APP{LABELS}&from=…&until=…&format=…
Result<ReceivedProfiles> ParseIngest(const HttpRequest& request, int64_t now_ns);

// POST /push.v1.PusherService/Push: a PushRequest without compression, in JSON or protobuf.
Result<ReceivedProfiles> ParsePush(std::string_view body, bool is_json);

}  // namespace sparkprof
