// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "input_options.h"
#include "model/application.h"

namespace sparkprof {

// Reads the event logs, text logs and recordings at `path`. Of several applications, selects the one with this ID, or
// the longest if it is empty, with a note on standard error. If no application has tasks, prints a message and returns
// nullopt. Fails if a path cannot be read.
Result<std::optional<Application>> LoadOneApplication(const std::string& path, const std::string& id,
                                                      const InputOptions& options);

}  // namespace sparkprof
