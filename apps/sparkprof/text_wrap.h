// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sparkprof {

// Columns of the terminal on standard output, from the terminal or COLUMNS; `otherwise` where it is a file or a pipe.
size_t OutputWidth(size_t otherwise);

// Whether standard output is a terminal that shows colors: NO_COLOR and TERM=dumb switch them off.
bool HasColors();

// `text` in lines of at most `width` columns, broken at blanks, each ending in a line end. The first line starts where
// the caller is, at column `first`; the others start with `indent` blanks. Words longer than a line stay whole. Width 0
// does not break lines.
std::string WrapText(std::string_view text, size_t width, size_t first, size_t indent);

// Columns that `text` takes: its characters, without escape sequences of colors.
size_t ColumnsOf(std::string_view text);

}  // namespace sparkprof
