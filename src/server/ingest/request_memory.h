// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace sparkprof {

// Memory that a request may need while its profiles or segments are decoded, besides its body. A larger one is refused
// with 413.
inline constexpr size_t kRequestMemory = size_t{64} << 20;

}  // namespace sparkprof
