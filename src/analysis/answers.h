// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/account/account.h"
#include "analysis/costs/costs.h"
#include "analysis/costs/price_list.h"
#include "analysis/findings/finding.h"
#include "analysis/owners/cpu_owners.h"
#include "analysis/plans/work_names.h"
#include "analysis/python/python_waits.h"
#include "analysis/python/udfs.h"
#include "analysis/selection/known_parts.h"
#include "analysis/selection/log_selection.h"
#include "analysis/selection/stack_kinds.h"
#include "analysis/time/stage_summary.h"
#include "analysis/time/time_spent.h"
#include "model/application.h"

namespace sparkprof {

struct Answers {
  std::vector<StackKind> kinds;
  std::vector<StageSummary> stages;  // one per stage of the application
  WorkNames names;
  std::shared_ptr<const AccountedRun> accounted;
  std::optional<AccountSums> account_sums;  // set by AddAccountSums
  TimeSpent time_spent;
  std::string verdict;  // see VerdictOf
  std::vector<Finding> findings;
  std::vector<Finding> context;  // notes about the run without a change to the job
  RulesApplied rules;
  CpuOwners owners;                // owners in the application as read
  std::vector<std::string> lines;  // summary for a terminal
  std::vector<LogError> errors;    // from its logs, newest first
  std::vector<UdfCost> udfs;
  int64_t python_cpu_ns = 0;  // sum over all Python workers
  std::vector<StageWaits> waits;
  std::optional<Costs> costs;  // set if there are prices and the executors' resources are known
};

// The application must outlive its answers and not change: see AddAccountSums.
Answers Answer(const Application& application, const std::optional<PriceList>& prices = std::nullopt);

// Computes the sums, which few users need, ahead of their use. Required before the application moves or loses samples.
void AddAccountSums(const Application& application, Answers* answers);

std::vector<Answers> AnswerAll(const std::vector<const Application*>& applications,
                               const std::optional<PriceList>& prices = std::nullopt);

struct AnsweredRun {
  const Application& application;
  const Answers& answers;
};

// `answers` must belong to the applications and outlive the result.
std::vector<AnsweredRun> RunsOf(const std::vector<const Application*>& applications,
                                const std::vector<Answers>& answers);

// The one-line answer that everything with answers prints: the failure, if any; else the duration and the largest part
// of the wall-clock time, then the first finding and its saving, or that no problem is known. "33.3 s, 82.1% of it in
// stage 3.0. Stage 3: straggler computes 12.0 s; could save 8.0–11 s." Answer derives it from the other answers.
std::string VerdictOf(const Application& application, const Answers& answers);

// Formats "3.1–5.8 s", "up to 5.8 s"; empty if the saving is unknown.
std::string SavedTime(const Finding& finding);
// Formats "could save 3.1–5.8 s"; empty if the saving is unknown.
std::string SavingRange(const Finding& finding);

}  // namespace sparkprof
