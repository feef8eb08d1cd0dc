// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "analysis/owners/resources.h"

namespace sparkprof {

// A smaller heap for what a run used, with a margin, rounded to a usual size. 0 = keep the current one: it is not much
// larger, tasks spilled or collected garbage for a long time, or its use is unknown.
int64_t SmallerHeap(const Resources& use);

// Usual sizes: bytes rounded up, and as the value of a setting, "2560m" or "4g".
int64_t RoundedMemory(double bytes);
std::string MemoryText(int64_t bytes);

inline constexpr double kMuchGc = 0.1;          // minimum share of the task time
inline constexpr double kMaxSlowdown = 1.02;    // limit of the slowdown by a smaller heap
inline constexpr double kWorthChanging = 0.85;  // a new size above this fraction of the current one is not suggested

}  // namespace sparkprof
