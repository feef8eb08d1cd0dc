// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "base/redaction/unit.h"

namespace sparkprof::redaction {

// A value in a text, without its quotes.
struct Span {
  size_t begin = 0;
  size_t end = 0;
  size_t behind = 0;  // end including the closing quote
};

// Delimiters of an unquoted value, in addition to the common ones.
enum class ValueKind {
  kPlain,
  kUrl,      // & and #
  kEncoded,  // an encoded delimiter (%26)
  kHeader,   // only the end of the line, a quote or a closing bracket
};

// The value at `at`: in (nested) quotes, in brackets, or up to the next delimiter. An unclosed quote ends with its
// line.
Span ValueAt(std::string_view text, size_t at, ValueKind kind);

// Whether NAME= or NAME: starts at `at`, which ends the previous value.
bool IsAssignment(std::string_view text, size_t at);

// Position where the quote at `quote` closes, from `from` on and on the same line; npos if it does not.
size_t QuotesEnd(std::string_view text, size_t quote, size_t from);

}  // namespace sparkprof::redaction
