// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/folders/event_log_directory.h"
#include "server/server.h"

namespace sparkprof {

// Event logs that were sent to the server (`sparkprof push`). They are stored in recordings and listed in the
// catalogue. Those of watched folders are in EventLogDirectory.

// All of them, or those of one application, by start.
Result<std::vector<EventLogListing>> ListRecordedEventLogs(const ServerParts& parts,
                                                           const std::optional<std::string>& id);

// One event log, ready to read. nullopt if the application has no such attempt.
Result<std::optional<EventLogFiles>> FindRecordedEventLog(const ServerParts& parts, const std::string& id,
                                                          const std::string& attempt);

}  // namespace sparkprof
