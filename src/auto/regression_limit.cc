// SPDX-License-Identifier: Apache-2.0
#include "auto/regression_limit.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace sparkprof {
namespace {

constexpr double kDeviationOfMedianDistance = 1.4826;
constexpr double kLeastRegression = 0.3;  // relative to the median
constexpr double kSpreads = 5;

}  // namespace

int64_t MedianOf(std::vector<int64_t> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return std::midpoint(*std::max_element(values.begin(), middle), *middle);
}

std::optional<int64_t> RegressionLimit(std::vector<int64_t> earlier) {
  if (earlier.size() < kLeastRuns) return std::nullopt;
  const int64_t median = MedianOf(earlier);
  const int64_t largest = *std::max_element(earlier.begin(), earlier.end());
  for (int64_t& value : earlier) value = std::abs(value - median);
  const double change =
      std::max(kSpreads * kDeviationOfMedianDistance * static_cast<double>(MedianOf(std::move(earlier))),
               kLeastRegression * static_cast<double>(median));
  return std::max(largest, median + static_cast<int64_t>(change));
}

}  // namespace sparkprof
