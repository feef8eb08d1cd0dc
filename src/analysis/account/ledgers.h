// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/account/account_entry.h"
#include "analysis/account/schedule.h"
#include "analysis/account/task_parts.h"
#include "model/application.h"

namespace sparkprof {

struct CoreLedger {
  int64_t budget_ns = 0;              // executors' cores × their lifetime
  std::vector<AccountEntry> entries;  // add up to the budget
};

// nullopt if the cores of an executor with tasks are unknown. `parts` must belong to the same application.
//
// Idle slots are assigned to their cause: the driver, or dispatch, to the next stage; the tail of a stage without tasks
// left to start, to the running stages, in proportion to their running tasks.
std::optional<CoreLedger> CoreLedgerOf(const Application& application, const SlotTimes& times, const TaskParts& parts);

// Accounts for the wall-clock time from the application's start to its end, in order and without gaps, along the
// critical chain: from the end to the last job, its last task, the previous task in its slot or else the stage's
// submission, its last parent, and so on. A passage of a stage, consecutive tasks, is split in proportion to the parts
// of their time. `parts` must belong to the same application.
std::vector<WallEntry> WallLedger(const Application& application, const SlotTimes& times, const Schedule& schedule,
                                  const TaskParts& parts);

}  // namespace sparkprof
