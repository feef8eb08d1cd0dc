// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// A step of a step function: `running` tasks from `time_ns` (since the Unix epoch) on.
struct ConcurrencyStep {
  int64_t time_ns = 0;
  int32_t running = 0;
};

// Running tasks over time, per executor in the order of the table, without tasks of unknown executors; never more than
// an executor has cores, if they are known. Unfinished tasks run until TaskEnd.
std::vector<std::vector<ConcurrencyStep>> ConcurrencyOf(const Application& application);

// Running tasks over time of the whole application, including tasks of unknown executors.
std::vector<ConcurrencyStep> ConcurrencyOfAll(const Application& application);

// The time of all tasks, ns: the integral of the running tasks over time.
int64_t TaskTimeOf(const Application& application);

// Distribution of the application's time over the number of running tasks.
struct ConcurrencyProfile {
  std::vector<int64_t> time_at_ns;  // [n]: time with exactly n tasks; adds up to the application's duration
  int32_t peak = 0;
  double mean = 0;         // over the total duration
  double mean_active = 0;  // over the time in which a task ran
};
ConcurrencyProfile ProfileOf(const Application& application);

// The maximum number of concurrent tasks.
int32_t Peak(const std::vector<ConcurrencyStep>& steps);

// The end of a task; `application_end_ns` if it still runs, 0 if its start is unknown, too. A task whose end is not in
// the log of an application that ended lasts until its stage's end, and no time if that is unknown, too.
int64_t TaskEnd(const Application& application, size_t task, int64_t application_end_ns);

// Times in which at least one job ran. A job without an end is still running.
class JobTimes {
 public:
  explicit JobTimes(const Application& application);

  // The part of a time (ns since the Unix epoch) in which at least one job ran. Fast even for the thousands of jobs of
  // a stream.
  int64_t Between(int64_t begin_ns, int64_t end_ns) const;

 private:
  std::vector<std::pair<int64_t, int64_t>> spans_;  // disjoint, in order of time
};

}  // namespace sparkprof
