// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace sparkprof {

// `sparkprof run` for a scheduler that parses the job's output: prints no line that it could mistake for the job's, and
// starts the job even if a setting is invalid. `output`: folder for report and recording. Returns the job's exit code.
int RunForScheduler(const std::vector<std::string>& command, const std::string& output);

}  // namespace sparkprof
