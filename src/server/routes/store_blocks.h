// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "http/message.h"
#include "server/ingest/recording_store.h"
#include "server/server.h"

namespace sparkprof {

// RecordingStore::Accept of blocks that a request sent, counted in the server's metrics.
AcceptedBlocks StoreBlocks(ServerParts* parts, const HttpRequest& request, std::string_view blocks);

}  // namespace sparkprof
