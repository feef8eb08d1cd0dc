// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "base/redaction/rules.h"
#include "base/redaction/scanned_text.h"

namespace sparkprof::redaction {

// Finds the value in <name>X</name>, and in <td>name</td> <td>X</td>; the name is [begin, end).
std::optional<size_t> FindInTags(const ScannedText& scan, size_t begin, size_t end);

// Matches "name":"password","value":"X" and name="password" value="X".
std::optional<size_t> FindSibling(const ScannedText& scan, size_t at);

// Redacts from `value` to the next tag. Returns the next position: `next` if it is not a secret.
size_t RedactToTag(ScannedText* scan, size_t value, Secrecy secrecy, size_t next);

}  // namespace sparkprof::redaction
