// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace sparkprof {

// Event logs of the last runs of a job (fleet/fleet_runs.h). Fails in a build without the collector.
Result<std::vector<std::string>> FindLogsOfJob(const std::string& folder, const std::string& job);

}  // namespace sparkprof
