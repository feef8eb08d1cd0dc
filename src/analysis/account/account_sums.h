// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "analysis/account/account.h"
#include "analysis/python/udfs.h"
#include "analysis/time/stage_summary.h"
#include "model/application.h"

namespace sparkprof {

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
