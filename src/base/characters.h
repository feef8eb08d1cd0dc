// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
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

}  // namespace sparkprof
