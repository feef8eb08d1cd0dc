// SPDX-License-Identifier: Apache-2.0
#include "analysis/series_math.h"

namespace sparkprof {

double Growth(const ApplicationSeries& series) {
  double growth = 0;
  double before = 0;
  for (const SeriesPoint& point : series.points) {
    growth += point.value >= before ? point.value - before : point.value;
    before = point.value;
  }
  return growth;
}

double GrowthOf(const Application& application, std::string_view name,
                const std::function<bool(std::string_view role)>& of_role) {
  double growth = 0;
  for (const ApplicationSeries& series : application.series) {
    if (series.name != name) continue;
    const std::string_view role =
        series.process < 0 ? std::string_view()
                           : std::string_view(application.processes[static_cast<size_t>(series.process)].process.role);
    if (of_role(role)) growth += Growth(series);
  }
  return growth;
}

bool IsPython(std::string_view role) { return role.starts_with("python"); }

}  // namespace sparkprof
