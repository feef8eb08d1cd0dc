// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace sparkprof::redaction {

// One character of a text, either itself or as escaped in JSON, HTML or a URL: \" \\\" \u0022 &quot; %22 %2522.
struct Unit {
  char character = '\0';
  size_t size = 0;          // size in the text, bytes; 0 at its end
  bool is_changed = false;  // whether DecodeAt changed it
};
Unit UnitAt(std::string_view text, size_t at);

// Decodes one level of URL or HTML encoding, including control characters; other characters are unchanged. Converts
// Unicode spaces, quotes and full-width forms to ASCII (U+00A0, U+201C, U+FF1D), and invisible characters to NUL
// (U+200B).
Unit DecodeAt(std::string_view text, size_t at);

// Whether an HTML character reference starts here.
bool IsEntityAt(std::string_view text, size_t at);

size_t SkipBackslashes(std::string_view text, size_t at);

}  // namespace sparkprof::redaction
