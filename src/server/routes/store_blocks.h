// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "http/message.h"
#include "server/ingest/recording_store.h"
#include "server/server.h"

namespace sparkprof {

// Stores the blocks of a request with RecordingStore::Accept and updates the server's metrics.
AcceptedBlocks StoreBlocks(ServerParts* parts, const HttpRequest& request, std::string_view blocks);

}  // namespace sparkprof
