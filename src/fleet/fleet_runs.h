// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace sparkprof {

// Event logs of a job's last runs in the result of `sparkprof fleet analyze`, latest first. `job` is a name as in
// JobTableSql, or an application's name. Fails if there are none; the error lists the existing jobs.
Result<std::vector<std::string>> LogsOfJob(const std::string& folder, const std::string& job);

}  // namespace sparkprof
