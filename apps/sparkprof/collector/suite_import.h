// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "server_options.h"

namespace sparkprof {

// Sends the tables Runs, Log and ProcessMonitor of an older harness, CSV files with a header, to a server. Detects
// tables by their columns; Runs is required. Returns a line per run with its old and new ID.
Result<std::string> ImportTables(const ServerClient& client, const std::vector<std::string>& paths);

}  // namespace sparkprof
