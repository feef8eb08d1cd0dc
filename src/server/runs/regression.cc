// SPDX-License-Identifier: Apache-2.0
#include "server/runs/regression.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace sparkprof {
namespace {

constexpr double kDeviationOfMedianDistance = 1.4826;
constexpr double kLeastChange = 0.3;  // relative to the median
constexpr double kSpreads = 5;

int64_t Median(std::vector<int64_t> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return std::midpoint(*std::max_element(values.begin(), middle), *middle);
}

}  // namespace

std::optional<int64_t> RegressionLimit(std::vector<int64_t> earlier) {
  if (earlier.size() < kLeastRuns) return std::nullopt;
  const int64_t median = Median(earlier);
  const int64_t largest = *std::max_element(earlier.begin(), earlier.end());
  for (int64_t& value : earlier) value = std::abs(value - median);
  const double change =
      std::max(kSpreads * kDeviationOfMedianDistance * static_cast<double>(Median(std::move(earlier))),
               kLeastChange * static_cast<double>(median));
  return std::max(largest, median + static_cast<int64_t>(change));
}

std::vector<Regression> FindRegressions(const ApplicationRow& row, std::span<const ApplicationRow> earlier) {
  const auto duration = [](const ApplicationRow& run) { return std::max<int64_t>(0, run.end_ns - run.start_ns); };
  const auto cpu = [](const ApplicationRow& run) { return std::max<int64_t>(0, run.cpu_ns); };
  std::vector<Regression> regressions;
  const auto compare = [&](const char* measure, const auto& value_of) {
    std::vector<int64_t> values;
    for (const ApplicationRow& run : earlier) values.push_back(value_of(run));
    const std::optional<int64_t> limit = RegressionLimit(values);
    if (limit && value_of(row) > *limit) {
      regressions.push_back({measure, value_of(row), Median(std::move(values)), earlier.size()});
    }
  };
  compare("duration", duration);
  compare("cpu", cpu);
  return regressions;
}

}  // namespace sparkprof
