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

// Returns the limit above which a value is a regression: the maximum of all earlier values, the median plus 30%, and
// the median plus five times the spread (1.4826 times the median absolute deviation, which equals the standard
// deviation of a normal distribution). The factor is five because five to ten values estimate the spread only roughly:
// with three, 1 in 15 runs of the same code that vary by 20% regressed; with five, fewer than 1 in 50. nullopt for
// fewer than kLeastRuns values.
std::optional<int64_t> RegressionLimit(std::vector<int64_t> earlier);

}  // namespace sparkprof
