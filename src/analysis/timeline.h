// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// A step of a step function: `running` tasks from `time_ns` (since the Unix epoch) on.
struct ConcurrencyStep {
  int64_t time_ns = 0;
  int32_t running = 0;
};

// Running tasks over time, for each executor in the order of the table; tasks of no known executor count for none.
// Tasks that have not finished run until the end of the application.
std::vector<std::vector<ConcurrencyStep>> ConcurrencyOf(const Application& application);

// The largest number of tasks that ran at once.
int32_t Peak(const std::vector<ConcurrencyStep>& steps);

// When a task ended; `application_end_ns` for one that had not. 0 when its begin is unknown, too.
int64_t TaskEnd(const Application& application, size_t task, int64_t application_end_ns);

}  // namespace sparkprof
