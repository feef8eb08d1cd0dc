// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catalogue/catalogue.h"

namespace sparkprof {

// A measure of an application that is worse than in its group's earlier runs.
struct Regression {
  std::string measure;  // "duration" or "cpu"
  int64_t value_ns = 0;
  int64_t median_ns = 0;  // of the earlier runs
  size_t runs = 0;

  bool operator==(const Regression&) const = default;
};

// Runs that are compared at most, and at least.
inline constexpr size_t kComparedRuns = 10;
inline constexpr size_t kLeastRuns = 5;

// A value regresses if it is above all of the earlier ones, above their median by more than 30%, and by more than five
// times their spread. The spread is 1.4826 times the median distance from the median (the standard deviation of
// normally distributed values). Five, because five to ten values give the spread only roughly: with three, one run in
// 15 regressed where runs of the same code differ by 20%; with five, fewer than one in 50.
std::optional<int64_t> RegressionLimit(std::vector<int64_t> earlier);

// Duration and CPU time of `row` against those of earlier finished runs.
std::vector<Regression> FindRegressions(const ApplicationRow& row, std::span<const ApplicationRow> earlier);

}  // namespace sparkprof
