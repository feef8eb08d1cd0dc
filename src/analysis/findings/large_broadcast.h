// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sparkprof {

// Bytes; ten times Spark's default threshold for broadcast joins.
inline constexpr int64_t kLargeBroadcast = int64_t{100} << 20;

}  // namespace sparkprof
