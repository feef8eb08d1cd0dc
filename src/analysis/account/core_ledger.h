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
  int64_t budget_ns = 0;              // cores of the executors × the time they were there
  std::vector<AccountEntry> entries;  // together the budget
};

// Nothing where the cores of an executor with tasks are unknown. `parts` is of the same application.
//
// Idle slots are booked by what held them up: the driver, or dispatch, to the stage that begins next; the tail of a
// stage, in which it has no task left to start, to the stages that still run, in proportion to their running tasks.
std::optional<CoreLedger> CoreLedgerOf(const Application& application, const SlotTimes& times, const TaskParts& parts);

}  // namespace sparkprof
