// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/message.h"
#include "server/ingest/profile_requests.h"
#include "server/ingest/recording_store.h"
#include "server/server.h"

namespace sparkprof {

// Storing the recordings and profiles that requests send.

// Stores the blocks of a request with RecordingStore::Accept and updates the server's metrics.
AcceptedBlocks StoreBlocks(ServerParts* parts, const HttpRequest& request, std::string_view blocks);

struct StoredProfiles {
  unsigned status = 200;  // 400 = unreadable; 413 = too large; 429 = over the quota; 503 = cannot be stored now
  std::string problem;    // set unless the status is 200
};

// Stores all profiles of one request, which `parse` returns, or none. They are durable when the status is 200.
StoredProfiles StoreProfiles(ServerParts* parts, const HttpRequest& request,
                             const std::function<Result<ReceivedProfiles>()>& parse);

}  // namespace sparkprof
