// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "input_options.h"
#include "model/application.h"

namespace sparkprof {

// Reads the event logs, text logs and recordings at `path`. Of several applications, takes the one with this ID or, if
// it is empty, the longest, with a note on standard error. An error if no application has tasks.
Result<Application> LoadOneApplication(const std::string& path, const std::string& id, const InputOptions& options);

}  // namespace sparkprof
