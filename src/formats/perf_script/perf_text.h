// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "base/text/characters.h"

namespace sparkprof {

// Words of the lines of perf script, between spaces and tabs.

constexpr bool IsSpaceOrTab(char c) { return c == ' ' || c == '\t'; }

inline size_t SkipSpace(std::string_view line, size_t at) {
  while (at < line.size() && IsSpaceOrTab(line[at])) ++at;
  return at;
}

inline size_t SkipNumber(std::string_view line, size_t at) {
  while (at < line.size() && IsDigit(line[at])) ++at;
  return at;
}

inline size_t SkipHexNumber(std::string_view line, size_t at) {
  while (at < line.size() && IsHexDigit(line[at])) ++at;
  return at;
}

// The word that begins at `at`.
inline std::string_view WordAt(std::string_view line, size_t at) {
  size_t end = at;
  while (end < line.size() && !IsSpaceOrTab(line[end])) ++end;
  return line.substr(at, end - at);
}

inline std::string_view WithoutSpaceAtEnd(std::string_view line) {
  while (!line.empty() && IsSpaceOrTab(line.back())) line.remove_suffix(1);
  return line;
}

// perf prints an instruction pointer, "ip", in 16 places after at least one blank, with any other fields.
inline constexpr size_t kAddressPlaces = 16;

// Where such an address begins that is alone on the line or ends before a blank; npos without one.
inline size_t FindPaddedAddress(std::string_view line) {
  for (size_t at = 0; at < line.size();) {
    const size_t begin = SkipSpace(line, at), end = SkipHexNumber(line, begin);
    const bool is_word =
        end > begin && end - begin <= kAddressPlaces && (end == line.size() || IsSpaceOrTab(line[end]));
    // Behind other fields, a second blank ends them.
    if (is_word && end - at > kAddressPlaces && (at == 0 || begin - at > 1)) return begin;
    at = begin + WordAt(line, begin).size();
  }
  return std::string_view::npos;
}

// A line of a stack that perf printed, with or without symbol and module: "\t            1162 fib".
inline bool IsPaddedFrame(std::string_view line) {
  return line.starts_with('\t') && FindPaddedAddress(line) == SkipSpace(line, 0) &&
         SkipHexNumber(line, SkipSpace(line, 0)) == kAddressPlaces + 1;
}

// A frame with its module, at the begin or after blanks: "7f00 main+0x1f (/x)".
inline bool LooksLikeFrame(std::string_view line) {
  const size_t begin = SkipSpace(line, 0);
  const size_t end = SkipHexNumber(line, begin);
  if (end == begin || end == line.size() || !IsSpaceOrTab(line[end])) return false;
  const size_t open = line.find(" (", end);
  return open != std::string_view::npos && line.find(')', open) != std::string_view::npos;
}

}  // namespace sparkprof
