// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace sparkprof {

// Minimum number of compared runs.
inline constexpr size_t kLeastRuns = 5;

// The median; the mean of two middle values. `values` must not be empty.
int64_t MedianOf(std::vector<int64_t> values);

// A value regresses if it is above all earlier ones, above their median by more than 30%, and by more than five times
// their spread. The spread is 1.4826 times the median absolute deviation (the standard deviation of normally
// distributed values). The factor is five because five to ten values estimate the spread only roughly: with a factor of
// three, one in 15 runs of the same code that vary by 20% regressed; with five, fewer than one in 50. nullopt for fewer
// than kLeastRuns values.
std::optional<int64_t> RegressionLimit(std::vector<int64_t> earlier);

}  // namespace sparkprof
