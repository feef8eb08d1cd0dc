// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "fleet/fleet_analysis.h"

namespace sparkprof {

// Runs AnalyzeFleet as a Spark job. `submit` is the spark-submit command up to the class's arguments, of which the
// first is the name of the engine's program (FleetJob.java). Hadoop lists the locations and opens the logs, executors
// read them, and this process stores the rows. `request.engine` has only the engine's arguments. Databricks files are
// separate logs.
Result<FleetCounts> AnalyzeFleetOnSpark(const FleetRequest& request, const std::vector<std::string>& submit,
                                        FleetProgress* progress);

}  // namespace sparkprof
