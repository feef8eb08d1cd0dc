// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"

namespace sparkprof {

// Remembers the report for `sparkprof open`, in a file of this user's state folder (XDG_STATE_HOME, or ~/.local/state)
// that only the user may read. A report on standard output or a device is not remembered, nor is one where there is no
// such folder: no command fails for it.
void RememberReport(const std::string& path);

// The absolute path of the last report. Fails if no report was written, or if the file is gone.
Result<std::string> LastReport();

}  // namespace sparkprof
