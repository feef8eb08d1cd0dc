// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "analysis/account/account_entry.h"
#include "analysis/account/ledgers.h"
#include "analysis/account/schedule.h"
#include "analysis/account/slot_times.h"
#include "analysis/account/task_parts.h"
#include "analysis/time/stage_summary.h"
#include "model/application.h"

namespace sparkprof {

// Accounts for all wall-clock time of an application exactly once; the core time is in AccountedRun::Core().
struct Account {
  bool is_running = false;         // the application has not ended; accounts up to its last known time. Not an excerpt
  int64_t duration_ns = 0;         // sum of `wall`
  int64_t result_handling_ns = 0;  // driver time after the task's slot ran its next task; not in the core budget
  std::vector<WallEntry> wall;     // in order of time
};

// The part of the wall time outside stages: driver, start, and waits for executors.
int64_t TimeOutsideStages(const Account& account);

// The account of an application with its intermediate results. Answer computes it once for all users.
class AccountedRun {
 public:
  // `stages` from SummarizeStages. The application must outlive this object and keep its tasks. The account of another
  // tool's profile and of a host's recording is empty.
  AccountedRun(const Application& application, const std::vector<StageSummary>& stages);
  AccountedRun(const AccountedRun&) = delete;
  AccountedRun& operator=(const AccountedRun&) = delete;

  // nullopt if cores are unknown, and for an excerpt of logs. Computed on first use: findings and the verdict do not
  // need it.
  const std::optional<CoreLedger>& Core() const;

  const SlotTimes times;
  const Schedule schedule;
  const TaskParts parts;
  const Account account;

 private:
  const Application& application_;
  mutable std::once_flag core_once_;
  mutable std::optional<CoreLedger> core_;
};

}  // namespace sparkprof
