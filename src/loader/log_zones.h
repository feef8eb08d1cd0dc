// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "formats/records/profiler_records.h"
#include "loader/application_loader.h"
#include "model/application.h"
#include "text_log/log_zone.h"

namespace sparkprof {

// The zone of each log whose times have none: the user's choice, or the multiple of 15 minutes that aligns it with
// `application`, which has exact times: by common tasks, else by the application's start. Other logs have the zone of
// most logs; if there are none, the zone in which the first record of a profiler is near the first line, else UTC. If
// `application` has no tasks, those of the driver's log are used, so executors' logs are aligned with it.
std::vector<LogZone> ZonesOf(const std::vector<const Input*>& logs, const ProfilerRecords& records,
                             const LoaderOptions& options, const Application& application);

}  // namespace sparkprof
