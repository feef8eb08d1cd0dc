// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sparkprof {

// Values that event logs and text logs must show of the start of Python workers.
inline constexpr double kMuchStarting = 0.4;  // of the workers' time
// Tasks; of fewer, the first starts and those of idle workers are a large part.
inline constexpr int64_t kStartsPerCore = 8;

}  // namespace sparkprof
