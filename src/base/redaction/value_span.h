// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "base/redaction/unit.h"

namespace sparkprof::redaction {

// A value inside of a text, without its quotes.
struct Span {
  size_t begin = 0;
  size_t end = 0;
  size_t behind = 0;  // its closing quote too
};

// Delimiters of a value without quotes, in addition to the common ones.
enum class ValueKind {
  kPlain,
  kUrl,      // at & and #
  kEncoded,  // at an encoded delimiter (%26)
  kHeader,   // at the end of the line, a quote or a closing bracket only
};

// The value that starts at `at`: in quotes (nested), in brackets, or up to the next delimiter. An unclosed quote ends
// with its line.
Span ValueAt(std::string_view text, size_t at, ValueKind kind);

// Whether NAME= or NAME: begins at `at`: the previous value has ended.
bool IsAssignment(std::string_view text, size_t at);

// Where the quote that opens at `quote` closes, from `from` on and on the same line; npos when it does not.
size_t QuotesEnd(std::string_view text, size_t quote, size_t from);

}  // namespace sparkprof::redaction
