// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "analysis/account/account_entry.h"
#include "analysis/account/ledgers.h"
#include "analysis/account/schedule.h"
#include "analysis/account/task_parts.h"
#include "analysis/python/udfs.h"
#include "analysis/time/stage_summary.h"
#include "model/application.h"

namespace sparkprof {

// Accounts for all wall-clock time of an application exactly once; the core time is in AccountedRun::Core().
struct Account {
  bool is_running = false;      // the application has not ended; accounts up to its last known time. Not an excerpt
  int64_t duration_ns = 0;      // sum of `wall`
  std::vector<WallEntry> wall;  // in order of time
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

// Nanoseconds by part ("stage 3.0: GC"), payer (see Payers), and reason (see ReasonOf). No payer or reason is empty
// text.
using PartSums = std::map<std::tuple<std::string, std::string, std::string_view>, int64_t>;

// The account of one or more applications, with equal parts added up.
struct AccountSums {
  PartSums core, wall;
  bool has_cores = false;   // the cores of at least one application are known
  bool is_running = false;  // at least one application has not ended

  void Add(const AccountSums& other);
};

// `stages` from SummarizeStages, `udfs` from CostOfUdfs: of this application, with all its samples.
AccountSums SumAccount(const Application& application, const std::vector<StageSummary>& stages,
                       const std::vector<UdfCost>& udfs, const AccountedRun& accounted);

}  // namespace sparkprof
