// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/account/account_entry.h"
#include "analysis/account/slot_times.h"
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

}  // namespace sparkprof
