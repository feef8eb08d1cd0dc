// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "analysis/owners/resources.h"

namespace sparkprof {

// The bytes of a smaller heap that holds what a run used, with a margin, in a size that a person would set. 0 = the
// present one should stay: it is not much larger, tasks spilled or collected garbage for long, or its use is unknown.
int64_t SmallerHeap(const Resources& use);

// Sizes that a person would set: bytes rounded up, and as the value of a setting, "2560m" or "4g".
int64_t RoundedMemory(double bytes);
std::string MemoryText(int64_t bytes);

inline constexpr double kMuchGc = 0.1;          // of the tasks' time
inline constexpr double kMaxSlowdown = 1.02;    // by a smaller heap
inline constexpr double kWorthChanging = 0.85;  // sizes above this part of the present one stay

}  // namespace sparkprof
