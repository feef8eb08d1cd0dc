// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "recording/application_builder.h"

namespace sparkprof {

void DropRepeatedProcesses(const std::vector<std::vector<int32_t>>& groups, Application* application) {
  if (groups.empty()) return;
  std::vector<ApplicationProcess>& processes = application->processes;
  const auto is_of_driver = [&](int32_t row) {
    const int32_t executor = processes[static_cast<size_t>(row)].executor;
    return executor < 0 || application->executors[static_cast<size_t>(executor)].id == "driver";
  };
  std::vector<bool> is_dropped(processes.size());
  for (const std::vector<int32_t>& rows : groups) {
    const auto own = std::find_if_not(rows.begin(), rows.end(), is_of_driver);
    const int32_t kept = own == rows.end() ? rows.front() : *own;
    for (const int32_t row : rows) is_dropped[static_cast<size_t>(row)] = row != kept;
  }
  std::vector<int32_t> places(processes.size(), -1);
  std::vector<ApplicationProcess> kept;
  for (size_t row = 0; row < processes.size(); ++row) {
    if (is_dropped[row]) continue;
    places[row] = static_cast<int32_t>(kept.size());
    kept.push_back(std::move(processes[row]));
  }
  processes = std::move(kept);
  std::erase_if(application->series, [&](const ApplicationSeries& series) {
    return series.process >= 0 && places[static_cast<size_t>(series.process)] < 0;
  });
  for (ApplicationSeries& series : application->series) {
    if (series.process >= 0) series.process = places[static_cast<size_t>(series.process)];
  }
}

}  // namespace sparkprof
