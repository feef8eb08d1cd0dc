// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "formats/records/profiler_records.h"
#include "loader/application_loader.h"
#include "model/application.h"

namespace sparkprof {

ProfilerRecords ReadRecords(const std::vector<const Input*>& inputs, const LineLimits& limits,
                            std::vector<InputOutcome>* outcomes);

// Adds processes, metrics and stacks to the application. Assigns a process to the driver or an executor if its records
// or the executors' hosts identify it. Stacks become wall-clock samples: a thread's samples in one report weigh as much
// as the time that the report covers. PySpark's samples have no time: each weighs its period of 200 ms and is placed at
// the application's start.
void AddRecords(const ProfilerRecords& records, Application* application);

}  // namespace sparkprof
