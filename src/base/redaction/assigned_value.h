// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "base/redaction/rules.h"
#include "base/redaction/scanned_text.h"
#include "base/redaction/value_span.h"

namespace sparkprof::redaction {

// How a value is connected to its name.
enum class Link {
  kAssigned,  // NAME=VALUE and the like
  kProse,     // NAME: VALUE
  kApart,     // NAME VALUE, NAME is VALUE: only if quoted, or if it resembles a key or a password
};

// Position and form of the value that a text assigns to a name.
struct AssignedValue {
  size_t value = 0;
  Link link = Link::kAssigned;
  ValueKind kind = ValueKind::kPlain;
  bool to_tag = false;  // whether the value ends with the next tag
};

// Finds the value assigned to the name at [begin, end).
std::optional<AssignedValue> FindAssignedValue(const ScannedText& scan, size_t begin, size_t end, bool is_option,
                                               bool is_parameter, Secrecy secrecy);

}  // namespace sparkprof::redaction
