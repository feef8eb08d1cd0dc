// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "formats/records/profiler_records.h"
#include "model/application.h"
#include "spark/evidence/evidence.h"

namespace sparkprof {

// Adds what text logs say to `application`: their records, and jobs, stages, tasks and executors where nothing else
// told of tasks. Their clock is brought to the application's: by the tasks that both know, else by the application's
// start, else by the profilers' records.
void AddTextLogs(const std::vector<const Input*>& logs, const ProfilerRecords& records, const EvidenceOptions& options,
                 Application* application, std::vector<InputOutcome>* outcomes);

// What to add to the times of `by_log`, read as UTC, to have them on the clock of `application`: a multiple of a
// quarter of an hour, as zones are. Nothing when neither tasks nor starts can be compared.
std::optional<int64_t> ZoneOffset(const Application& by_log, const Application& application);

}  // namespace sparkprof
