// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace sparkprof {

// Maximum memory for decoding a request's profiles or segments, without its body. A larger request is rejected with
// 413.
inline constexpr size_t kRequestMemory = size_t{64} << 20;

}  // namespace sparkprof
