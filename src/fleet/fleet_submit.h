// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "fleet/fleet_analysis.h"

namespace sparkprof {

// AnalyzeFleet as a Spark job: `submit` is the command of spark-submit up to the class's arguments, of which the first
// is the name of the engine's program (FleetJob.java). Hadoop lists the locations and opens the logs, executors read
// them; this process keeps the rows. `request.engine` has the engine's arguments only. Files of Databricks are logs of
// their own.
Result<FleetCounts> AnalyzeFleetOnSpark(const FleetRequest& request, const std::vector<std::string>& submit,
                                        FleetProgress* progress);

}  // namespace sparkprof
