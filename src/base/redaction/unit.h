// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace sparkprof::redaction {

// One character of a text, as itself or as JSON, HTML or a URL write it: \" \\\" \u0022 &quot; %22 %2522.
struct Unit {
  char character = '\0';
  size_t size = 0;          // bytes of the text; 0 at its end
  bool is_changed = false;  // by DecodeAt
};
Unit UnitAt(std::string_view text, size_t at);

// The same for one level of a URL's or HTML's encoding, control characters too; other characters are themselves.
// Blanks, quotes and full-width forms of Unicode become ASCII's (U+00A0, U+201C, U+FF1D); NUL stands for a character
// that is not shown (U+200B).
Unit DecodeAt(std::string_view text, size_t at);

// Whether HTML's writing of a character begins here.
bool IsEntityAt(std::string_view text, size_t at);

// Behind the backslashes at `at`.
size_t SkipBackslashes(std::string_view text, size_t at);

}  // namespace sparkprof::redaction
