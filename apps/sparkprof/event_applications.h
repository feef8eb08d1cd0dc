// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "input_options.h"
#include "model/application.h"

namespace sparkprof {

// The applications that `sparkprof events` prints tables of, from all event logs, recordings and text logs at `paths`.
// Text logs are read where nothing else tells of their application. What is left out or damaged is said on standard
// error. An error if there is no application.
Result<std::vector<Application>> LoadApplications(const InputOptions& options, const std::vector<std::string>& paths);

}  // namespace sparkprof
