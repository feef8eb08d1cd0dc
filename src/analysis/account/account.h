// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/account/account_entry.h"
#include "analysis/account/core_ledger.h"
#include "analysis/time/stage_summary.h"
#include "model/application.h"

namespace sparkprof {

// All core time and all wall-clock time of an application, each booked once.
struct Account {
  bool is_running = false;         // the application has not ended: booked up to the last time known of it
  int64_t duration_ns = 0;         // the sum of `wall`
  int64_t result_handling_ns = 0;  // by the driver, after the task's slot ran its next task; not in the core budget
  std::optional<CoreLedger> core;  // nothing where cores are unknown
  std::vector<WallEntry> wall;     // in order of time
};

// `stages` from SummarizeStages. Empty for profiles of other tools and recordings of hosts.
Account AccountOf(const Application& application, const std::vector<StageSummary>& stages);

}  // namespace sparkprof
