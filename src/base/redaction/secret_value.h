// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/redaction/rules.h"

namespace sparkprof::redaction {

// Whether `value` is harmless for a name with this secrecy: a switch, a placeholder; for weak names a small number,
// duration, size, class name or path; for kMaybe anything that does not look like a key.
bool IsHarmless(std::string_view value, Secrecy secrecy);

// At least 16 letters, digits and + / = _ - . with a letter and a digit among them.
bool LooksLikeKey(std::string_view value);

// Base64 of printable text with a colon in it, as in "Authorization: Basic …".
bool IsEncodedUserAndPassword(std::string_view value);

}  // namespace sparkprof::redaction
