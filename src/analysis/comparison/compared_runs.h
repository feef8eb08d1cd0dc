// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/answers.h"
#include "analysis/comparison/finding_changes.h"
#include "analysis/comparison/plan_changes.h"
#include "analysis/comparison/run_causes.h"
#include "analysis/comparison/run_comparison.h"
#include "model/application.h"

namespace sparkprof {

// All results of comparing two runs.
struct ComparedRuns {
  RunComparison comparison;
  std::vector<RunCause> causes;  // largest first
  FindingChanges findings;       // refers to the answers
  std::vector<PlanChange> plans;
};

ComparedRuns CompareAnswered(const AnsweredRun& before, const AnsweredRun& after);

// The part of the wall time in which no stage ran.
int64_t DriverTimeOf(const Application& application);

}  // namespace sparkprof
