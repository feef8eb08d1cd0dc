// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace sparkprof {

// Appends a code point, at most U+10FFFF, as UTF-8. The caller must handle surrogates.
inline void AppendUtf8(uint32_t code_point, std::string* text) {
  const auto append = [text](uint32_t byte) { *text += static_cast<char>(byte); };
  const auto append_rest = [&](int shift) { append(0x80 | (code_point >> shift & 0x3f)); };
  if (code_point < 0x80) {
    append(code_point);
  } else if (code_point < 0x800) {
    append(0xc0 | code_point >> 6);
    append_rest(0);
  } else if (code_point < 0x10000) {
    append(0xe0 | code_point >> 12);
    append_rest(6);
    append_rest(0);
  } else {
    append(0xf0 | code_point >> 18);
    append_rest(12);
    append_rest(6);
    append_rest(0);
  }
}

}  // namespace sparkprof
