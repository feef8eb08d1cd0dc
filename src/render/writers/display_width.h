// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sparkprof {

// How many columns of a terminal a line of valid UTF-8 takes: two for wide characters (East Asian, emoji), none for
// combining ones and escape sequences of colors.
size_t DisplayWidth(std::string_view text);

// The longest start of `text` that fits, with "…" at its end if it is not whole. `width` is at least 1.
std::string ShortenToWidth(std::string_view text, size_t width);

// The longest end of `text` that fits, likewise with "…" at its start: for names whose end tells them apart.
std::string ShortenStartToWidth(std::string_view text, size_t width);

// `text` in lines of at most `width` columns, broken at blanks, each ending in a line end. The first line starts where
// the caller is, at column `first`; the others start with `indent` blanks. Words longer than a line stay whole. Width 0
// does not break lines.
std::string WrapText(std::string_view text, size_t width, size_t first, size_t indent);

}  // namespace sparkprof
