// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analysis/account/account_entry.h"
#include "analysis/account/schedule.h"
#include "analysis/account/slot_times.h"
#include "analysis/account/task_parts.h"
#include "model/application.h"

namespace sparkprof {

// The wall-clock time from the application's start to its end, in order and without holes, along the chain of what
// waited for what: from the end to the last job, its last task, the task that held its slot before, or else the stage's
// submission, its last parent, and so on. A passage of a stage, one task after the other, is cut in proportion to the
// time of its tasks. `parts` is of the same application.
std::vector<WallEntry> WallLedger(const Application& application, const SlotTimes& times, const Schedule& schedule,
                                  const TaskParts& parts);

}  // namespace sparkprof
