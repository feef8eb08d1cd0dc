// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace sparkprof {

// `sparkprof run` for a scheduler that reads the job's output: prints no line that it could take for the job's, and
// starts the job even if a setting is wrong. `output` is the folder for report and recording. The exit code is the
// job's.
int RunForScheduler(const std::vector<std::string>& command, const std::string& output);

}  // namespace sparkprof
