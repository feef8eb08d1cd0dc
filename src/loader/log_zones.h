// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "formats/records/profiler_records.h"
#include "loader/application_loader.h"
#include "model/application.h"
#include "text_log/log_zone.h"

namespace sparkprof {

// The zone of each log without one in its times: the user's choice, the zone of the container runtime's envelope, or
// the multiple of 15 minutes that aligns it with `application`, which has exact times: by common tasks, else by the
// application's start. The remaining logs get the zone of most logs; if there are none, the zone in which a profiler's
// first record is close to the first line, else UTC. If `application` has no tasks, executor logs are aligned with the
// tasks in the driver's log.
std::vector<LogZone> ZonesOf(const std::vector<const Input*>& logs, const ProfilerRecords& records,
                             const LoaderOptions& options, const Application& application);

}  // namespace sparkprof
