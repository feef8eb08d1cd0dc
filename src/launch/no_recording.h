// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "launch/submit_command.h"

namespace sparkprof {

// Why a job left no recording, as far as can be found out: one sentence, or several when there are several reasons.
std::string ExplainNoRecording(const SubmitRequest& request, Launcher launcher, int exit_code);

}  // namespace sparkprof
