// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace sparkprof {

// ASCII only: other bytes belong to no class in any locale.
constexpr bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool IsLetter(char c) { return IsLower(c) || IsUpper(c); }
constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsAlnum(char c) { return IsLetter(c) || IsDigit(c); }
// Branch-free: perf scripts contain many hexadecimal numbers.
constexpr bool IsHexDigit(char c) {
  return static_cast<bool>((static_cast<unsigned char>((c | 0x20) - 'a') < 6) |
                           (static_cast<unsigned char>(c - '0') < 10));
}

// Whether the text consists of at least one digit and nothing else.
constexpr bool IsDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsDigit);
}

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
