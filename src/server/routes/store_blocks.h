// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "server/recording_store.h"
#include "server/server.h"

namespace sparkprof {

// RecordingStore::Accept, counted in the server's metrics. `received_bytes`: of the request.
AcceptedBlocks StoreBlocks(ServerParts* parts, std::string_view blocks, uint64_t received_bytes);

}  // namespace sparkprof
