// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "http/message.h"
#include "server/pyroscope_requests.h"
#include "server/server.h"

namespace sparkprof {

struct StoredProfiles {
  unsigned status = 200;  // 400: what was sent cannot be read; 503: it cannot be stored now
  std::string problem;    // unless 200
};

// Stores the profiles of one request, all or none. They are durable when it returns 200.
StoredProfiles StoreProfiles(ServerParts* parts, const HttpRequest& request, const Result<ReceivedProfiles>& received);

}  // namespace sparkprof
