// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "formats/records/profiler_records.h"
#include "loader/application_loader.h"
#include "model/application.h"
#include "text_log/log_zone.h"

namespace sparkprof {

// The zone of each log's times, for those that do not say it: what the user said, what the lines' wrapping tells, or
// else the multiple of a quarter of an hour that brings them to the clock of `application`, which has exact times: by
// the tasks that both know, else by the application's start. A log that knows neither has the zone of most others;
// where none does, that by which the first record of a profiler is near the first line, else UTC. Without tasks in
// `application` those of the driver's log stand for them, so that executors' logs come to its clock.
std::vector<LogZone> ZonesOf(const std::vector<const Input*>& logs, const ProfilerRecords& records,
                             const LoaderOptions& options, const Application& application);

}  // namespace sparkprof
