// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analysis/machines/series.h"

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

namespace {

std::string_view RoleOf(const Application& application, const ApplicationSeries& series) {
  if (series.process < 0) return {};
  return application.processes[static_cast<size_t>(series.process)].process.role;
}

bool IsPythonCpu(const Application& application, const ApplicationSeries& series) {
  return series.name == "process.cpu_ns" && IsPython(RoleOf(application, series));
}

}  // namespace

double GrowthOf(const Application& application, std::string_view name,
                const std::function<bool(std::string_view role)>& of_role) {
  double growth = 0;
  for (const ApplicationSeries& series : application.series) {
    if (series.name != name) continue;
    if (of_role(RoleOf(application, series))) growth += Growth(series);
  }
  return growth;
}

bool IsPython(std::string_view role) { return role == "python_daemon" || role == "python_worker"; }

int64_t PythonCpu(const Application& application) {
  const auto is_daemon = [](std::string_view role) { return role == "python_daemon"; };
  const auto is_worker = [](std::string_view role) { return role == "python_worker"; };
  const double workers = GrowthOf(application, "process.cpu_ns", is_worker);
  const double ended = GrowthOf(application, "process.children_cpu_ns", is_daemon);
  return static_cast<int64_t>(GrowthOf(application, "process.cpu_ns", is_daemon) + std::max(workers, ended));
}

int64_t PythonCpuBetween(const Application& application, int64_t begin_ns, int64_t end_ns) {
  double sum = 0;
  for (const ApplicationSeries& series : application.series) {
    if (!IsPythonCpu(application, series)) continue;
    double before = 0;
    for (const SeriesPoint& point : series.points) {
      if (point.time_ns >= begin_ns && point.time_ns <= end_ns && point.value > before) sum += point.value - before;
      before = point.value;
    }
  }
  return static_cast<int64_t>(sum);
}

bool HasPythonCpu(const Application& application) {
  return std::any_of(application.series.begin(), application.series.end(),
                     [&](const ApplicationSeries& series) { return IsPythonCpu(application, series); });
}

}  // namespace sparkprof
