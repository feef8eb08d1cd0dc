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
  unsigned status = 200;  // 400: what was sent cannot be read; 413: it is too large; 503: it cannot be stored now
  std::string problem;    // unless 200
};

// Stores the profiles of one request, which `parse` returns, all or none. They are durable when it returns 200.
StoredProfiles StoreProfiles(ServerParts* parts, const HttpRequest& request,
                             const std::function<Result<ReceivedProfiles>()>& parse);

}  // namespace sparkprof
