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

// Adds processes, metrics and stacks to the application. A process belongs to the driver or an executor if its records
// or the executors' hosts show it. Stacks become wall-clock samples: the samples of a thread in one report weigh as
// much as the time that the report covers. Those of PySpark have no time: each weighs its period of 200 ms and is at
// the application's start.
void AddRecords(const ProfilerRecords& records, Application* application);

}  // namespace sparkprof
