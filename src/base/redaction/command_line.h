// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "base/redaction/scanned_text.h"

namespace sparkprof::redaction {

// The values of a command's options that take a secret (curl -u), to be redacted when the search reaches them. `at` is
// the command's. Returns where to go on.
size_t RedactOptions(ScannedText* scan, size_t at, std::string_view command);

// The word of a command that is a secret by its position: htpasswd -b FILE USER X.
size_t RedactPositional(ScannedText* scan, size_t at, std::string_view command);

// The input of a command that wants a secret: echo X | kinit, kinit <<< X.
size_t RedactPiped(ScannedText* scan, size_t at, std::string_view writer);
size_t RedactHereString(ScannedText* scan, size_t at);

}  // namespace sparkprof::redaction
