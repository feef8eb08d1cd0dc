// SPDX-License-Identifier: Apache-2.0
#include "server/runs/regression.h"

#include <algorithm>
#include <utility>

namespace sparkprof {

std::vector<Regression> FindRegressions(const ApplicationRow& row, std::span<const ApplicationRow> earlier) {
  const auto duration = [](const ApplicationRow& run) { return std::max<int64_t>(0, run.end_ns - run.start_ns); };
  const auto cpu = [](const ApplicationRow& run) { return std::max<int64_t>(0, run.cpu_ns); };
  std::vector<Regression> regressions;
  const auto compare = [&](const char* measure, const auto& value_of) {
    std::vector<int64_t> values;
    for (const ApplicationRow& run : earlier) values.push_back(value_of(run));
    const std::optional<int64_t> limit = RegressionLimit(values);
    if (limit && value_of(row) > *limit) {
      regressions.push_back({measure, value_of(row), MedianOf(std::move(values)), earlier.size()});
    }
  };
  compare("duration", duration);
  compare("cpu", cpu);
  return regressions;
}

}  // namespace sparkprof
