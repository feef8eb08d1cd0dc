// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "base/redaction/scanned_text.h"

namespace sparkprof::redaction {

// Finds the lines of a value that starts at `value` and continues below: YAML's | and >, and here-documents (<<EOF,
// $(cat <<EOF)). Line breaks may be escaped. `name` is the start of the value's name.
std::optional<Range> FindBlock(const ScannedText& scan, size_t name, size_t value);

// Number of spaces at the start of the line that contains `at`, including YAML's "- ".
size_t IndentationAt(std::string_view text, size_t at);

// End of a line's content from `at` on, and start of the next line. A line of an escaped text also ends at the quote
// around the text.
struct LineEnds {
  size_t end;
  size_t next;
};
LineEnds LineFrom(std::string_view text, size_t at);

}  // namespace sparkprof::redaction
