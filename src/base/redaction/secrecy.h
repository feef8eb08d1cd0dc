// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/redaction/rules.h"

namespace sparkprof::redaction {

// How secret the value of `name` is; `word_before` is the preceding word in a text, or empty. Only the last 200 bytes
// of the name count.
Secrecy SecrecyOf(std::string_view name, std::string_view word_before = {});

// Whether Spark's default spark.redaction.regex matches the setting: secret, password, token, access.key or accesskey
// anywhere in the name, case-insensitive.
bool SparkRedacts(std::string_view name);

// Whether `value` cannot be a secret for a name with this secrecy: a switch, a placeholder; for weak names a small
// number, duration, size, class name or path; for kMaybe anything that does not resemble a key.
bool IsHarmless(std::string_view value, Secrecy secrecy);

// Whether the value has at least 16 letters, digits and + / = _ - . including a letter and a digit.
bool LooksLikeKey(std::string_view value);

// Whether the value is base64 of printable text with a colon, as in "Authorization: Basic …".
bool IsEncodedUserAndPassword(std::string_view value);

}  // namespace sparkprof::redaction
