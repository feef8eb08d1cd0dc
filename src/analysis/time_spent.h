// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/selection.h"
#include "model/application.h"

namespace sparkprof {

// One part of the core time: cores of the executors × the time they were there.
struct TimePart {
  std::string name;  // as people read it
  int64_t ns = 0;
  bool estimate = false;
  bool has_selection = false;
  Selection selection;  // what shows this part, if has_selection
};

struct TimeSpent {
  std::vector<TimePart> parts;  // stacked; together exactly core_time_ns. Empty when no executor or task is known
  int64_t core_time_ns = 0;
};

// Splits the core time: what no task used is idle; the time of tasks is split by Spark's task metrics, and what Python
// processes used is taken from the time a task neither computed in the JVM nor waited for something Spark names.
TimeSpent SplitTime(const Application& application);

// Cores of an executor: as Spark says, or the most tasks that ran at once when it does not.
std::vector<int64_t> CoresOf(const Application& application);

}  // namespace sparkprof
