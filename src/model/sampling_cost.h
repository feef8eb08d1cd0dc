// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/sample.h"

namespace sparkprof {

// CPU time that the JVM spends on one sample, in ns: an estimate from measurements of async-profiler 4.5 on x86-64. For
// cpu and wall, a signal interrupts a thread (13 to 43 µs); for a sleeping thread, only its clock is read (1 µs). For
// allocations and locks, JVM TI walks the stack frame by frame.
constexpr int64_t SamplingCostNs(Event event, ThreadState state, int64_t frames) {
  if (event == Event::kCpu) return 20'000;
  if (event == Event::kWall) return state == ThreadState::kSleeping ? 1'000 : 20'000;
  return 5'000 + 250 * frames;
}

}  // namespace sparkprof
