// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sparkprof {

// Number of terminal columns of a line of valid UTF-8: two for wide characters (East Asian, emoji), none for combining
// ones and color escape sequences.
size_t DisplayWidth(std::string_view text);

// The longest prefix of `text` that fits; ends in "…" if truncated. `width` is at least 1.
std::string ShortenToWidth(std::string_view text, size_t width);

// The longest suffix of `text` that fits; starts with "…" if truncated. For names that differ at their end.
std::string ShortenStartToWidth(std::string_view text, size_t width);

// Wraps `text` at spaces to lines of at most `width` columns, each with a line end. The first line starts at column
// `first`, the others are indented by `indent` spaces. Longer words are not split. Width 0 disables wrapping.
std::string WrapText(std::string_view text, size_t width, size_t first, size_t indent);

}  // namespace sparkprof
