// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <optional>
#include <utility>

#include "suite/statistics.h"

namespace sparkprof {
namespace {

using Points = std::vector<std::pair<double, double>>;  // logarithms of size and measure

std::optional<Growth> Fit(const Points& points) {
  const double count = static_cast<double>(points.size());
  if (points.size() < 3) return std::nullopt;
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0, squares = 0;
  for (const auto& [x, y] : points) mean_x += x / count, mean_y += y / count;
  for (const auto& [x, y] : points) xx += (x - mean_x) * (x - mean_x), xy += (x - mean_x) * (y - mean_y);
  if (xx <= 0 || !std::isfinite(xy)) return std::nullopt;
  Growth growth;
  growth.exponent = xy / xx;
  for (const auto& [x, y] : points) squares += std::pow(y - mean_y - growth.exponent * (x - mean_x), 2);
  growth.error = std::sqrt(squares / (count - 2) / xx);
  return growth;
}

}  // namespace

std::vector<Growth> FitGrowth(const SuiteResults& results) {
  std::map<std::pair<std::string, std::string>, Points> points;
  for (const JobResult& job : results.jobs) {
    if (!job.size || *job.size <= 0) continue;
    for (const auto& [measure, values] : MeasuresOf(job)) {
      for (const double value : values) points[{job.name, measure}].emplace_back(std::log(*job.size), std::log(value));
    }
  }
  std::vector<Growth> fitted;
  for (const auto& [key, logarithms] : points) {
    std::optional<Growth> growth = Fit(logarithms);
    if (!growth) continue;
    growth->job = key.first;
    growth->measure = key.second;
    fitted.push_back(std::move(*growth));
  }
  return fitted;
}

}  // namespace sparkprof
