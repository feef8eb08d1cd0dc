// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "fleet/fleet_filter.h"
#include "fleet/fleet_log.h"
#include "fleet/fleet_store.h"

namespace sparkprof {

struct FleetRequest {
  std::vector<std::string> locations;
  std::string output;
  FleetLayout layout = FleetLayout::kFlat;
  FleetFilter filter;
  std::vector<std::string> engine;  // command that serves logs, see EngineProcess
  size_t processes = 0;             // of them; 0 = number of cores
};

struct FleetCounts {
  int64_t applications = 0;
  int64_t failed = 0;                 // logs
  int64_t unchanged = 0;              // logs
  int64_t filtered = 0;               // logs of which the filter left applications out
  int64_t others = 0;                 // files that are no event logs
  std::vector<std::string> problems;  // sentences: folders that could not be listed
};

// Logs to read, their bytes, and how many of these are done.
struct FleetProgress {
  std::atomic<uint64_t> all_bytes = 0, done_bytes = 0;
};

// Reads the logs that are new or have changed, and adds their rows to the result. Fails if a location cannot be listed,
// or the result cannot be written.
Result<FleetCounts> AnalyzeFleet(const FleetRequest& request, FleetProgress* progress);

// The steps of AnalyzeFleet, for readers on other machines.

// The order of reading: by days, so that a commit has few of them, and the largest first, so that no core waits for
// the last log.
void SortForReading(std::vector<FleetLog>* logs);

// Takes out the logs that need not be read.
std::vector<FleetLog> DropUnchanged(std::vector<FleetLog> logs, const FleetStore& store, const FleetFilter& filter,
                                    FleetCounts* counts);

// Keeps the rows of a log, and commits from time to time.
struct EngineAnswer;
Result<void> KeepAnswer(const FleetLog& log, const EngineAnswer& answer, const FleetFilter& filter, FleetStore* store,
                        FleetCounts* counts);

}  // namespace sparkprof
