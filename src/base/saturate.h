// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

namespace sparkprof {

// Arithmetic on foreign numbers, which can be anything: results stay at the end of their range instead of overflowing.

inline void AddSaturated(int64_t value, int64_t* sum) {
  if (__builtin_add_overflow(*sum, value, sum)) *sum = value < 0 ? INT64_MIN : INT64_MAX;
}

inline int64_t MultiplySaturated(int64_t a, int64_t b) {
  int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
}

// The nearest integer; 0 for NaN. The result can be negated.
inline int64_t RoundSaturated(double value) {
  constexpr double kLimit = 9.2e18;  // just inside int64
  if (value >= kLimit) return INT64_MAX;
  if (value <= -kLimit) return -INT64_MAX;
  return std::isnan(value) ? 0 : std::llround(value);
}

}  // namespace sparkprof
