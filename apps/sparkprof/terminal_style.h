// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace sparkprof {

// Columns of the terminal on standard output, from the terminal or COLUMNS; `otherwise` where it is a file or a pipe.
size_t OutputWidth(size_t otherwise);

// Whether standard output is a terminal that shows colors: NO_COLOR and TERM=dumb switch them off.
bool HasColors();

}  // namespace sparkprof
