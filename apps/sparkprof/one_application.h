// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "input_options.h"
#include "model/application.h"

namespace sparkprof {

// Reads the event logs, text logs and recordings at `path`. Of several applications, takes the one with this ID or, if
// it is empty, the longest, with a note on standard error. Nothing, after a
// message, if no application has tasks. Errors: a path that cannot be read.
Result<std::optional<Application>> LoadOneApplication(const std::string& path, const std::string& id,
                                                      const InputOptions& options);

}  // namespace sparkprof
