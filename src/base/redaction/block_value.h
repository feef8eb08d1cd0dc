// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "base/redaction/scanned_text.h"

namespace sparkprof::redaction {

// The lines of a value that begins at `value` and is on the lines below: YAML's | and >, and here-documents (<<EOF,
// $(cat <<EOF)). Line breaks may be escaped. `name` is where the value's name begins.
std::optional<Range> FindBlock(const ScannedText& scan, size_t name, size_t value);

// The blanks at the beginning of the line that `at` is on, and of its content behind YAML's "- ".
size_t IndentationAt(std::string_view text, size_t at);

// A line of a text from `at` on: where its content ends, and where the next line begins. A line of an escaped text also
// ends at the quote around the text.
struct LineEnds {
  size_t end;
  size_t next;
};
LineEnds LineFrom(std::string_view text, size_t at);

}  // namespace sparkprof::redaction
