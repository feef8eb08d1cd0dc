// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sparkprof {

// How many columns of a terminal a line of valid UTF-8 takes: two for wide characters (East Asian, emoji), none for
// combining ones.
size_t DisplayWidth(std::string_view text);

// The longest start of `text` that fits, with "…" at its end if it is not whole. `width` is at least 1.
std::string ShortenToWidth(std::string_view text, size_t width);

// Lines of words that fit into `width`; longer words have lines of their own.
std::string WrapText(std::string_view text, size_t width);

}  // namespace sparkprof
