// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/segment/segment.h"

namespace sparkprof {

struct TimeSteps {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  size_t count = 1;
};

// Adds a counter's growth in each step to `steps`. Between two points it grows evenly. Ignores decreases, and growth
// over more than `longest_gap_ns` without a reading.
void AddGrowth(std::span<const SeriesPoint> points, const TimeSteps& of, int64_t longest_gap_ns,
               std::vector<double>* steps);

double GrowthBetween(std::span<const SeriesPoint> points, int64_t begin_ns, int64_t end_ns, int64_t longest_gap_ns);

}  // namespace sparkprof
