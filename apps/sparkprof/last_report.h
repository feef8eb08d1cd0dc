// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"

namespace sparkprof {

// Stores the report's path for `sparkprof open` in a private file of this user's state folder (XDG_STATE_HOME, or
// ~/.local/state). Does nothing for a report on standard output or a device, or without such a folder: no command fails
// because of it.
void RememberReport(const std::string& path);

// The absolute path of the last report. Fails if no report was written, or if the file no longer exists.
Result<std::string> LastReport();

}  // namespace sparkprof
