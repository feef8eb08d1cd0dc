// SPDX-License-Identifier: Apache-2.0
#include "base/terminal_text.h"

#include "base/text.h"

namespace sparkprof {
namespace {

// Size in UTF-8 of the character at `at` if a terminal interprets or hides it; else 0.
size_t ControlSize(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U; };
  if (byte(0) < 0x20 || byte(0) == 0x7f) return 1;
  if (byte(0) == 0xc2 && byte(1) < 0xa0) return 2;                                              // C1 control characters
  if (byte(0) == 0xd8 && byte(1) == 0x9c) return 2;                                             // U+061C
  if (byte(0) == 0xef) return byte(1) == 0xbb && byte(2) == 0xbf ? 3 : 0;                       // U+FEFF
  if (byte(0) == 0xf3) return byte(1) == 0xa0 && (byte(2) == 0x80 || byte(2) == 0x81) ? 4 : 0;  // U+E0000 to U+E007F
  if (byte(0) != 0xe2) return 0;
  if (byte(1) == 0x80 && (byte(2) == 0x8b || byte(2) == 0x8e || byte(2) == 0x8f)) return 3;  // U+200B, U+200E, U+200F
  if (byte(1) == 0x80 && byte(2) >= 0xa8 && byte(2) <= 0xae) return 3;                       // U+2028 to U+202E
  return byte(1) == 0x81 && byte(2) >= 0xa0 && byte(2) <= 0xaf ? 3 : 0;                      // U+2060 to U+206F
}

}  // namespace

std::string ForTerminal(std::string_view text) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  const std::string valid = ToUtf8(text);
  std::string shown;
  shown.reserve(valid.size());
  for (size_t at = 0; at < valid.size();) {
    const size_t size = valid[at] == '\n' || valid[at] == '\t' ? 0 : ControlSize(valid, at);
    if (size == 0) {
      shown += valid[at++];
    } else {
      shown += kReplacement;
      at += size;
    }
  }
  return shown;
}

}  // namespace sparkprof
