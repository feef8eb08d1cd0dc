// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "launch/remote_attach.h"

namespace sparkprof {

// Returns the output of the step; empty when it goes to a file, which is replaced when the step has succeeded. What it
// prints to standard error is discarded unless `shows_errors`.
Result<std::string> RunStep(const RemoteStep& step, bool shows_errors = true);

}  // namespace sparkprof
