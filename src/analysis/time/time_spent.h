// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/selection/selection.h"
#include "model/application.h"

namespace sparkprof {

// A part of the core time: executors' cores × their lifetime.
struct TimePart {
  std::string name;
  int64_t ns = 0;
  double share = 0;  // relative to the core time; adds up to 100.0%: see SharesAddingUp
  bool estimate = false;
  bool has_selection = false;
  Selection selection;  // shows this part, if has_selection
};

struct TimeSpent {
  std::vector<TimePart>
      parts;  // stacked; add up to core_time_ns. Empty if no executor or task is known, and for an excerpt of logs
  int64_t core_time_ns = 0;
};

// Splits the core time. Time without a task is idle; task time is split by Spark's task metrics; CPU time of Python
// processes is subtracted from the task time that Spark's metrics do not explain.
TimeSpent SplitTime(const Application& application);

// Shares of the sum in tenths of a percent that add up to 100.0%: those with the largest rounding loss are rounded up.
// All 0 if the sum is.
std::vector<double> SharesAddingUp(const std::vector<int64_t>& times);

// Cores of an executor: from Spark, or the maximum number of concurrent tasks if unknown.
std::vector<int64_t> CoresOf(const Application& application);
int64_t CoreCount(const Application& application);

// Maximum of the executors' cores at one time: replacements of executors do not add to it. 0 = unknown.
int64_t PeakCores(const Application& application);

// Whether Spark counted the CPU time of tasks, as it does since 2.1. A few microseconds do not count: each task needs
// more to start, and some tools write milliseconds there.
bool HasCpuTime(const Application& application);

}  // namespace sparkprof
