// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// Calls `visit` for the start and end of each job, stage and SQL execution; 0 = unknown.
template <typename Visit>
void ForEachScheduledTime(const Application& application, Visit&& visit) {
  for (const Job& job : application.jobs) {
    visit(job.submit_ns);
    visit(job.end_ns);
  }
  for (const Stage& stage : application.stages) {
    visit(stage.submit_ns);
    visit(stage.end_ns);
  }
  for (const SqlExecution& sql : application.sql_executions) {
    visit(sql.start_ns);
    visit(sql.end_ns);
  }
}

// Times of an application without a gap of 30 days between them.
struct ClockGroup {
  int64_t first_ns = 0;
  int64_t last_ns = 0;
  int64_t tasks = 0;  // tasks that ended in it, or started in it and have no known end
  int64_t times = 0;  // number of known times

  bool Has(int64_t time_ns) const { return time_ns >= first_ns && time_ns <= last_ns; }
};

// Groups all known times of jobs, stages, tasks, SQL executions, log lines and series, and of the application's start
// and end, in order. More than one group means that clocks were wrong or logs of different runs were merged: no job
// pauses that long.
std::vector<ClockGroup> ClockGroupsOf(const Application& application);

// If there are several groups, keeps the one with the most tasks: the application's start and end become those of the
// group, a task that is only partly in it gets its run time, and times of jobs and stages outside become unknown. A
// notice lists the groups and counts the tasks outside. Other times are left to BoundTimes. Returns whether there was
// more than one group.
bool KeepLargestClockGroup(Application* application);

// Makes the times of an application fit together: logs can lack their beginning or end, and clocks can jump. Afterwards
// every known begin and end is within the application's time, and no end is before its begin. A task that ended and
// whose start is unknown counts for no time, at its end; a notice reports how many there are. Of times that are years
// apart, those of most tasks count. Call once everything is read.
void BoundTimes(Application* application);

}  // namespace sparkprof
