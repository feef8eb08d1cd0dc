// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "base/redaction/scanned_text.h"

namespace sparkprof::redaction {

// Finds the values of a command's options that take a secret (curl -u); they are redacted when the search reaches them.
// `at` is the start of the command. Returns the next position to search.
size_t RedactOptions(ScannedText* scan, size_t at, std::string_view command);

// Redacts the argument that is a secret by its position: htpasswd -b FILE USER X.
size_t RedactPositional(ScannedText* scan, size_t at, std::string_view command);

// Redact the input of a command that reads a secret: echo X | kinit, kinit <<< X.
size_t RedactPiped(ScannedText* scan, size_t at, std::string_view writer);
size_t RedactHereString(ScannedText* scan, size_t at);

}  // namespace sparkprof::redaction
