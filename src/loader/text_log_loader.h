// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "formats/records/profiler_records.h"
#include "loader/application_loader.h"
#include "model/application.h"

namespace sparkprof {

// Adds the records of text logs to `application`, and jobs, stages, tasks and executors if no other input has tasks.
// Aligns the clocks (log_zones.h). Without `options.log_records`, reads nothing if another input has tasks.
void AddTextLogs(const std::vector<const Input*>& logs, const ProfilerRecords& records, const LoaderOptions& options,
                 Application* application, std::vector<InputOutcome>* outcomes);

}  // namespace sparkprof
