// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

namespace sparkprof {

// Removes the first line from `text`, which must not be empty, and returns it without its end.
inline std::string_view TakeLine(std::string_view* text) {
  const void* const newline = std::memchr(text->data(), '\n', text->size());
  const size_t size =
      newline == nullptr ? text->size() : static_cast<size_t>(static_cast<const char*>(newline) - text->data());
  const std::string_view line = text->substr(0, size);
  text->remove_prefix(newline == nullptr ? size : size + 1);
  return line;
}

inline std::string_view WithoutCarriageReturn(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace sparkprof
