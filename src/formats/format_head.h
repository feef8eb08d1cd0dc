// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace sparkprof {

// The decompressed bytes by which a format is recognized.
inline constexpr size_t kFormatHeadSize = size_t{64} << 10;

}  // namespace sparkprof
