// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// A series as a chart draws it: counters are rates, times are ms since `start_ns`.
struct SeriesView {
  std::string unit;  // "bytes", "cores", "share", "count" or "ns"
  std::string label;
  std::vector<double> time;
  std::vector<double> value;
};

// A counter of CPU time becomes cores in use, a host's a share of all its cores, which `all` series know; another time
// a share of the clock, bytes and counts become such per second. More than `max_points` points are thinned: the mean of
// neighboring rates, the largest of neighboring gauges.
SeriesView ViewOf(const ApplicationSeries& series, int64_t start_ns, size_t max_points,
                  const std::vector<ApplicationSeries>& all = {});

}  // namespace sparkprof
