// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "base/redaction/scanned_text.h"

namespace sparkprof::redaction {

// The values of a command's options that take a secret (curl -u), to be redacted when the search reaches them. `at` is
// the command's. Returns where to go on.
size_t RedactOptions(ScannedText* scan, size_t at, std::string_view command);

}  // namespace sparkprof::redaction
