// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sparkprof {

// Adds to a saturating sum: foreign numbers can be anything.
inline void AddSaturated(int64_t value, int64_t* sum) {
  if (__builtin_add_overflow(*sum, value, sum)) *sum = value < 0 ? INT64_MIN : INT64_MAX;
}

}  // namespace sparkprof
