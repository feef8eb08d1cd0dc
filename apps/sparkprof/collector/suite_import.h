// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "server_options.h"

namespace sparkprof {

// Sends the tables Runs, Log and ProcessMonitor of an older harness, CSV files with a line of column names, to a
// server. A table is recognized by its columns; Runs must be among them. Returns a line for each run: its old and its
// new ID.
Result<std::string> ImportTables(const ServerClient& client, const std::vector<std::string>& paths);

}  // namespace sparkprof
