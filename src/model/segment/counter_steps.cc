// SPDX-License-Identifier: Apache-2.0
#include "model/segment/counter_steps.h"

#include <algorithm>

namespace sparkprof {

void AddGrowth(std::span<const SeriesPoint> points, const TimeSteps& of, int64_t longest_gap_ns,
               std::vector<double>* steps) {
  const double step_ns = static_cast<double>(of.end_ns - of.begin_ns) / static_cast<double>(of.count);
  if (of.count == 0 || step_ns <= 0) return;
  steps->resize(of.count);
  for (size_t i = 1; i < points.size(); ++i) {
    const SeriesPoint& from = points[i - 1];
    const SeriesPoint& to = points[i];
    const double growth = to.value - from.value;
    const int64_t span_ns = to.time_ns - from.time_ns;
    const int64_t begin_ns = std::max(from.time_ns, of.begin_ns), end_ns = std::min(to.time_ns, of.end_ns);
    if (growth <= 0 || span_ns <= 0 || span_ns > longest_gap_ns || begin_ns >= end_ns) continue;
    const auto offset = [&](int64_t time_ns) { return static_cast<double>(time_ns - of.begin_ns); };
    const auto first = static_cast<size_t>(offset(begin_ns) / step_ns);
    for (size_t step = first; step < of.count && static_cast<double>(step) * step_ns < offset(end_ns); ++step) {
      const double within = std::min(offset(end_ns), static_cast<double>(step + 1) * step_ns) -
                            std::max(offset(begin_ns), static_cast<double>(step) * step_ns);
      if (within > 0) (*steps)[step] += growth * within / static_cast<double>(span_ns);
    }
  }
}

double GrowthBetween(std::span<const SeriesPoint> points, int64_t begin_ns, int64_t end_ns, int64_t longest_gap_ns) {
  std::vector<double> steps(1);
  AddGrowth(points, {begin_ns, end_ns, 1}, longest_gap_ns, &steps);
  return steps[0];
}

}  // namespace sparkprof
