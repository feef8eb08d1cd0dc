// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace sparkprof {

// Event logs of the last runs of a job in the result of `sparkprof fleet analyze`, the latest first. `job` is the name
// of its applications, as JobTableSql makes it or as it is. Fails if there are none, and names the jobs
// that there are.
Result<std::vector<std::string>> LogsOfJob(const std::string& folder, const std::string& job);

}  // namespace sparkprof
