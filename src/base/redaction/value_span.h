// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/redaction/decoded_text.h"
#include "base/redaction/rules.h"
#include "base/redaction/scanned_text.h"

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

// Finds the value in <name>X</name>, and in <td>name</td> <td>X</td>; the name is [begin, end).
std::optional<size_t> FindInTags(const ScannedText& scan, size_t begin, size_t end);

// Matches "name":"password","value":"X" and name="password" value="X".
std::optional<size_t> FindSibling(const ScannedText& scan, size_t at);

// Redacts from `value` to the next tag. Returns the next position: `next` if it is not a secret.
size_t RedactToTag(ScannedText* scan, size_t value, Secrecy secrecy, size_t next);

}  // namespace sparkprof::redaction
