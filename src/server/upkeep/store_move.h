// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/ingest/recording_store.h"

namespace sparkprof {

struct MovedStore {
  int64_t entries = 0;
  int64_t objects = 0;  // objects in the store that this call or an earlier one wrote
  int64_t bytes = 0;
  std::vector<std::string> problems;  // data that was not moved, with the reason
};

// Copies the recordings of a data folder, with their owners, access lists and group configurations, to a store that
// nodes may be using. `data` must be the locked folder of `recordings`. Can be repeated after a failure: existing data
// is not written again. Skips entries whose name the store uses for something else.
Result<MovedStore> MoveToStore(const std::string& data, const RecordingStore& recordings, const std::string& location);

}  // namespace sparkprof
