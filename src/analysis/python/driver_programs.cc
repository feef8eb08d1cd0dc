// SPDX-License-Identifier: Apache-2.0
#include "analysis/python/driver_programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "analysis/machines/series.h"
#include "base/text/text.h"

namespace sparkprof {

std::string DriverProgramsInWords(const Application& application) {
  double cpu_ns = 0, first_bytes = 0, peak_bytes = 0;
  for (const ApplicationSeries& series : application.series) {
    if (series.process < 0 || series.points.empty()) continue;
    if (application.processes[static_cast<size_t>(series.process)].process.role != kDriverProgramRole) continue;
    const std::string_view name = series.name;
    if (name == "process.cpu_ns") cpu_ns += Growth(series);
    if (name == "process.rss_bytes" && first_bytes == 0) first_bytes = series.points.front().value;
    if (name != "process.rss_bytes" && name != "process.rss_peak_bytes") continue;
    for (const SeriesPoint& point : series.points) peak_bytes = std::max(peak_bytes, point.value);
  }
  if (peak_bytes == 0) return {};
  return fmt::format("{} CPU, resident memory from {} to {}", FormatDuration(static_cast<int64_t>(cpu_ns)),
                     FormatBytes(static_cast<int64_t>(first_bytes)), FormatBytes(static_cast<int64_t>(peak_bytes)));
}

}  // namespace sparkprof
