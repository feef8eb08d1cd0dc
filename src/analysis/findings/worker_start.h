// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sparkprof {

// What event logs and text logs must show of the start of Python workers.
inline constexpr double kMuchStarting = 0.4;  // of the workers' time
inline constexpr int64_t kStartsPerCore = 4;  // tasks; those of fewer are the first starts

}  // namespace sparkprof
