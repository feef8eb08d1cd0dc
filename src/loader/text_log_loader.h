// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "formats/records/profiler_records.h"
#include "loader/application_loader.h"
#include "model/application.h"

namespace sparkprof {

// Adds what text logs say to `application`: their records, and jobs, stages, tasks and executors where nothing else
// told of tasks. Their clocks are brought to the application's (log_zones.h). Without `options.log_records` nothing is
// read where something else told of tasks.
void AddTextLogs(const std::vector<const Input*>& logs, const ProfilerRecords& records, const LoaderOptions& options,
                 Application* application, std::vector<InputOutcome>* outcomes);

}  // namespace sparkprof
