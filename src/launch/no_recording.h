// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "launch/submit_command.h"

namespace sparkprof {

// Explains why a job left no recording: one sentence per reason found.
std::string ExplainNoRecording(const SubmitRequest& request, Launcher launcher, int exit_code);

}  // namespace sparkprof
