// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparkprof {

// The answer of a test on runs before and after a change.
enum class RunsDecision { kOpen, kFaster, kSlower, kNoDifference };

// Relative changes of a measure: -0.31 is 31% less. Infinite ends of the interval are -1 and infinity.
struct RunsEffect {
  double median = 0, low = 0, high = 0;
};

}  // namespace sparkprof
