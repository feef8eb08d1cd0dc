// SPDX-License-Identifier: Apache-2.0
#include "fleet_job.h"

#include "fleet/fleet_runs.h"

namespace sparkprof {

Result<std::vector<std::string>> FindLogsOfJob(const std::string& folder, const std::string& job) {
  return LogsOfJob(folder, job);
}

}  // namespace sparkprof
