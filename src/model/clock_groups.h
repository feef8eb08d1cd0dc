// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// Times of an application without a pause of 30 days between them.
struct ClockGroup {
  int64_t first_ns = 0;
  int64_t last_ns = 0;
  int64_t tasks = 0;  // that ended in it, or started in it and have no known end
  int64_t times = 0;  // known times in it

  bool Has(int64_t time_ns) const { return time_ns >= first_ns && time_ns <= last_ns; }
};

// The groups of all known times of jobs, stages, tasks, SQL executions, log lines and series, and of the application's
// start and end, in order. More than one means that clocks were wrong, or that logs of different runs were merged: no
// job pauses that long.
std::vector<ClockGroup> ClockGroupsOf(const Application& application);

// Keeps the group with the most tasks if there are several: the application's start and end become those of the group,
// a task that is only partly in it takes its run time,
// and times of jobs and stages outside become unknown. A notice names the groups and counts the tasks outside.
// Times of others are left for BoundTimes to fit. Returns whether there was more than one group.
bool KeepLargestClockGroup(Application* application);

}  // namespace sparkprof
