// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/redaction/characters.h"
#include "base/redaction/rules.h"
#include "base/redaction/scanned_text.h"

namespace sparkprof::redaction {

inline constexpr size_t kMaxAssignedName = 200;
inline bool IsNameCharacter(char c) { return IsAlnum(c) || IsOneOf(c, "_.-$"); }

// Redacts the value assigned to the name around `at` if it is a secret. Returns the next position to search.
size_t RedactAssignment(ScannedText* scan, size_t at);

// RedactAssignment for a name with known secrecy at `name`, which may start with the hyphens of an option. Returns
// `next` if nothing is redacted.
size_t RedactNamed(ScannedText* scan, Range name, Secrecy secrecy, size_t next);

}  // namespace sparkprof::redaction
