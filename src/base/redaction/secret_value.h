// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/redaction/rules.h"

namespace sparkprof::redaction {

// Whether `value` cannot be a secret for a name with this secrecy: a switch, a placeholder; for weak names a small
// number, duration, size, class name or path; for kMaybe anything that does not resemble a key.
bool IsHarmless(std::string_view value, Secrecy secrecy);

// Whether the value has at least 16 letters, digits and + / = _ - . including a letter and a digit.
bool LooksLikeKey(std::string_view value);

// Whether the value is base64 of printable text with a colon, as in "Authorization: Basic …".
bool IsEncodedUserAndPassword(std::string_view value);

}  // namespace sparkprof::redaction
