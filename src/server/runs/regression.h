// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catalogue/catalogue.h"

namespace sparkprof {

// A measure of an application that is worse than in earlier runs of its group.
struct Regression {
  std::string measure;  // "duration" or "cpu"
  int64_t value_ns = 0;
  int64_t median_ns = 0;  // median of the earlier runs
  size_t runs = 0;

  bool operator==(const Regression&) const = default;
};

// Maximum and minimum number of compared runs.
inline constexpr size_t kComparedRuns = 10;
inline constexpr size_t kLeastRuns = 5;

// A value regresses if it is above all earlier ones, above their median by more than 30%, and by more than five times
// their spread. The spread is 1.4826 times the median absolute deviation (the standard deviation of normally
// distributed values). The factor is five because five to ten values estimate the spread only roughly: with a factor of
// three, one in 15 runs of the same code that vary by 20% regressed; with five, fewer than one in 50.
std::optional<int64_t> RegressionLimit(std::vector<int64_t> earlier);

// Compares duration and CPU time of `row` with those of earlier finished runs.
std::vector<Regression> FindRegressions(const ApplicationRow& row, std::span<const ApplicationRow> earlier);

}  // namespace sparkprof
