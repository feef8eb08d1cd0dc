// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "auto/regression_limit.h"
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

// Maximum number of compared runs; kLeastRuns is the minimum.
inline constexpr size_t kComparedRuns = 10;

// Compares duration and CPU time of `row` with those of earlier finished runs.
std::vector<Regression> FindRegressions(const ApplicationRow& row, std::span<const ApplicationRow> earlier);

}  // namespace sparkprof
