// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "formats/records/profiler_records.h"
#include "loader/application_loader.h"
#include "model/application.h"
#include "text_log/log_zone.h"

namespace sparkprof {

// The loaders of application_loader.cc, one for each kind of input.

// Adds the records of text logs to `application`, and jobs, stages, tasks and executors if no other input has tasks.
// Aligns the clocks. Without `options.log_records`, reads nothing if another input has tasks.
void AddTextLogs(const std::vector<const Input*>& logs, const ProfilerRecords& records, const LoaderOptions& options,
                 Application* application, std::vector<InputOutcome>* outcomes);

// The zone of each log whose times have none: the user's choice, or the multiple of 15 minutes that aligns it with
// `application`, which has exact times: by common tasks, else by the application's start. Other logs have the zone of
// most logs; if there are none, the zone in which the first record of a profiler is near the first line, else UTC. If
// `application` has no tasks, those of the driver's log are used, so executors' logs are aligned with it.
std::vector<LogZone> ZonesOf(const std::vector<const Input*>& logs, const ProfilerRecords& records,
                             const LoaderOptions& options, const Application& application);

// Reads the records of all profilers in `inputs`.
ProfilerRecords ReadRecords(const std::vector<const Input*>& inputs, const LineLimits& limits,
                            std::vector<InputOutcome>* outcomes);

// Adds processes, metrics and stacks to the application. Assigns a process to the driver or an executor if its records
// or the executors' hosts identify it. Stacks become wall-clock samples: a thread's samples in one report weigh as much
// as the time that the report covers. PySpark's samples have no time: each weighs its period of 200 ms and is placed at
// the application's start.
void AddRecords(const ProfilerRecords& records, Application* application);

}  // namespace sparkprof
