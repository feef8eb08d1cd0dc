// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/redaction/characters.h"
#include "base/redaction/rules.h"
#include "base/redaction/scanned_text.h"

namespace sparkprof::redaction {

inline constexpr size_t kMaxAssignedName = 200;
inline bool IsNameCharacter(char c) { return IsAlnum(c) || IsOneOf(c, "_.-$"); }

// Redacts what is assigned to the name around `at`, when it is a secret. Returns where to go on.
size_t RedactAssignment(ScannedText* scan, size_t at);

// The same for a name at `name`, which may have the hyphens of an option before it, of a known secrecy. Returns `next`
// if nothing is redacted.
size_t RedactNamed(ScannedText* scan, Range name, Secrecy secrecy, size_t next);

}  // namespace sparkprof::redaction
