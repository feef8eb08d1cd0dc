// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "http/message.h"
#include "server/ingest/pyroscope_requests.h"
#include "server/server.h"

namespace sparkprof {

struct StoredProfiles {
  unsigned status = 200;  // 400 = unreadable; 413 = too large; 503 = cannot be stored now
  std::string problem;    // set unless the status is 200
};

// Stores all profiles of one request, which `parse` returns, or none. They are durable when the status is 200.
StoredProfiles StoreProfiles(ServerParts* parts, const HttpRequest& request,
                             const std::function<Result<ReceivedProfiles>()>& parse);

}  // namespace sparkprof
