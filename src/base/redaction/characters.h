// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "base/text/characters.h"

namespace sparkprof::redaction {

// ASCII only: other bytes belong to no class.
inline char Lower(char c) { return IsUpper(c) ? static_cast<char>(c - 'A' + 'a') : c; }
inline bool IsSpace(char c) { return (c >= '\t' && c <= '\r') || c == ' ' || c == '\0'; }
inline bool IsBlank(char c) { return c == ' ' || c == '\t'; }
inline bool IsQuote(char c) { return c == '"' || c == '\'' || c == '`'; }
inline bool IsOneOf(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

inline int HexValue(char c) {
  if (IsDigit(c)) return c - '0';
  const char lower = Lower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Length of UTF-8 text in UTF-16 units, which the plugin counts.
inline size_t Utf16Size(std::string_view text) {
  size_t size = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    size += (byte & 0xc0) == 0x80 ? 0 : byte >= 0xf0 ? 2 : 1;
  }
  return size;
}

// The character, or NUL beyond the end.
inline char CharAt(std::string_view text, size_t at) { return at < text.size() ? text[at] : '\0'; }

inline size_t BlanksAt(std::string_view text, size_t at) {
  size_t end = at;
  while (IsBlank(CharAt(text, end))) ++end;
  return end - at;
}

// Whether `text` has `lower` (lower case) at `at`, case-insensitive.
inline bool HasAt(std::string_view text, size_t at, std::string_view lower) {
  if (at > text.size() || text.size() - at < lower.size()) return false;
  for (size_t i = 0; i < lower.size(); ++i) {
    if (Lower(text[at + i]) != lower[i]) return false;
  }
  return true;
}

// Size of the line break at `at`, which may be escaped (\n, \\r\\n); 0 if there is none.
inline size_t LineBreakSize(std::string_view text, size_t at) {
  const char c = CharAt(text, at);
  if (c == '\n') return 1;
  if (c == '\r') return CharAt(text, at + 1) == '\n' ? 2 : 1;
  if (c != '\\') return 0;
  size_t letter = at;
  while (CharAt(text, letter) == '\\') ++letter;
  const char escaped = CharAt(text, letter);
  if (escaped == 'n') return letter + 1 - at;
  return escaped == 'r' ? letter + 1 - at + LineBreakSize(text, letter + 1) : 0;
}

// Size of a backslash and the following line break, which join two lines; 0 if there is none.
inline size_t ContinuationSize(std::string_view text, size_t at) {
  if (CharAt(text, at) != '\\') return 0;
  const char next = CharAt(text, at + 1);
  if (next == '\n' || next == '\r') return 1 + LineBreakSize(text, at + 1);
  // JSON strings escape the backslash and the line break.
  size_t letter = at;
  while (CharAt(text, letter) == '\\') ++letter;
  const size_t backslashes = letter - at;
  return CharAt(text, letter) == 'n' && backslashes >= 3 && backslashes % 2 == 1 ? backslashes + 1 : 0;
}

inline size_t FindIgnoringCase(std::string_view text, std::string_view lower, size_t from = 0) {
  for (size_t at = from; at + lower.size() <= text.size(); ++at) {
    if (HasAt(text, at, lower)) return at;
  }
  return std::string_view::npos;
}

}  // namespace sparkprof::redaction
