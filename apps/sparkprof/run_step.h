// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "launch/remote_attach.h"

namespace sparkprof {

// Runs the step and returns its output; empty if it goes to a file, which is replaced if the step succeeds. Discards
// its standard error unless `shows_errors`.
Result<std::string> RunStep(const RemoteStep& step, bool shows_errors = true);

}  // namespace sparkprof
