// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "input_options.h"
#include "model/application.h"

namespace sparkprof {

// The application of the event logs, text logs and recordings at `path`; of several, the one with this ID or, if it is
// empty, the one that ran longest, with a note on standard error. Fails if there is none with tasks.
Result<Application> LoadOneApplication(const std::string& path, const std::string& id, const InputOptions& options);

}  // namespace sparkprof
