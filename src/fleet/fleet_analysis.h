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
  std::vector<std::string> engine;  // command that serves logs; see EngineProcess
  size_t processes = 0;             // number of engine processes; 0 = number of cores
};

struct FleetCounts {
  int64_t applications = 0;
  int64_t failed = 0;
  int64_t unchanged = 0;
  int64_t filtered = 0;               // number of logs with applications excluded by the filter
  int64_t others = 0;                 // number of files that are not event logs
  std::vector<std::string> problems;  // sentences about folders that could not be listed
};

// Total size of the logs to read, and the part done.
struct FleetProgress {
  std::atomic<uint64_t> all_bytes = 0, done_bytes = 0;
};

// Reads new and changed logs, and adds their rows to the result. Fails if a location cannot be listed or the result
// cannot be written.
Result<FleetCounts> AnalyzeFleet(const FleetRequest& request, FleetProgress* progress);

// Steps of AnalyzeFleet, for readers on other machines.

// Sorts logs for reading: by day, so that a commit covers few days, and largest first, so that no core waits for the
// last log.
void SortForReading(std::vector<FleetLog>* logs);

std::vector<FleetLog> DropUnchanged(std::vector<FleetLog> logs, const FleetStore& store, const FleetFilter& filter,
                                    FleetCounts* counts);

// Stores the rows of a log, and commits from time to time.
struct EngineAnswer;
Result<void> KeepAnswer(const FleetLog& log, const EngineAnswer& answer, const FleetFilter& filter, FleetStore* store,
                        FleetCounts* counts);

// Runs AnalyzeFleet as a Spark job. `submit` is the spark-submit command up to the class's arguments, of which the
// first is the name of the engine's program (FleetJob.java). Hadoop lists the locations and opens the logs, executors
// read them, and this process stores the rows. `request.engine` has only the engine's arguments. Databricks files are
// separate logs.
Result<FleetCounts> AnalyzeFleetOnSpark(const FleetRequest& request, const std::vector<std::string>& submit,
                                        FleetProgress* progress);

}  // namespace sparkprof
