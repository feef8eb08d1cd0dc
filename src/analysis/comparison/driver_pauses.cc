// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/comparison/run_causes.h"
#include "analysis/plans/work_names.h"
#include "analysis/python/driver_lines.h"
#include "analysis/selection/time_range.h"
#include "analysis/time/timeline.h"

namespace sparkprof {
namespace {

struct Pause {
  int64_t begin_ns = 0, end_ns = 0;
};

std::vector<Pause> TimesWithoutTasks(const Application& application, const TimeRange& range) {
  const Tasks& tasks = application.tasks;
  std::vector<Pause> busy;
  for (size_t row = 0; row < tasks.Size(); ++row) {
    if (tasks.launch_ns[row] > 0) busy.push_back({tasks.launch_ns[row], TaskEnd(application, row, range.end_ns)});
  }
  std::sort(busy.begin(), busy.end(), [](const Pause& a, const Pause& b) { return a.begin_ns < b.begin_ns; });
  std::vector<Pause> pauses;
  int64_t until_ns = range.start_ns;
  for (const Pause& task : busy) {
    if (task.begin_ns > until_ns) pauses.push_back({until_ns, task.begin_ns});
    until_ns = std::max(until_ns, task.end_ns);
  }
  if (range.end_ns > until_ns) pauses.push_back({until_ns, range.end_ns});
  return pauses;
}

bool IsInPause(const std::vector<Pause>& pauses, int64_t time_ns) {
  const auto after = std::upper_bound(pauses.begin(), pauses.end(), time_ns,
                                      [](int64_t time, const Pause& pause) { return time < pause.begin_ns; });
  return after != pauses.begin() && time_ns < std::prev(after)->end_ns;
}

}  // namespace

DriverPauses PausesOf(const Application& application) {
  const TimeRange range = RangeOf(application);
  const std::vector<Pause> pauses = TimesWithoutTasks(application, range);
  const WorkNames names = NamesOfWork(application);
  std::vector<std::pair<int64_t, size_t>> jobs;  // by submission time
  for (size_t row = 0; row < application.jobs.size(); ++row) {
    if (application.jobs[row].submit_ns > 0) jobs.emplace_back(application.jobs[row].submit_ns, row);
  }
  std::sort(jobs.begin(), jobs.end());
  DriverPauses sums;
  for (const Pause& pause : pauses) {
    const int64_t time_ns = pause.end_ns - pause.begin_ns;
    sums.all_ns += time_ns;
    // The first task of this job ends the pause.
    const auto next = std::upper_bound(jobs.begin(), jobs.end(), std::pair(pause.end_ns, SIZE_MAX));
    const bool is_last = pause.end_ns == range.end_ns;
    const std::string place = next == jobs.begin() ? std::string("before the first job")
                              : is_last            ? std::string("after the last task")
                                                   : "before " + names.jobs[std::prev(next)->second].line;
    sums.by_job[place] += time_ns;
  }
  sums.by_line = TimesOfDriver(application, [&](int64_t time_ns) { return IsInPause(pauses, time_ns); }).by_wall;
  return sums;
}

}  // namespace sparkprof
