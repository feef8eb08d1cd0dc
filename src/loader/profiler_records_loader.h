// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "formats/records/profiler_records.h"
#include "loader/application_loader.h"
#include "model/application.h"

namespace sparkprof {

// The records of all profilers in `inputs`.
ProfilerRecords ReadRecords(const std::vector<const Input*>& inputs, const LineLimits& limits,
                            std::vector<InputOutcome>* outcomes);

// Adds processes, curves and stacks to the application. A process belongs to the driver or an executor as far as its
// records or the executors' hosts tell. Stacks become wall-clock samples: what a thread's samples of one report weigh
// together is the time that the report covers; PySpark's, which have no time, weigh their period of 200 ms each and
// stand at the application's start.
void AddRecords(const ProfilerRecords& records, Application* application);

}  // namespace sparkprof
