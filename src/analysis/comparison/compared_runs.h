// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/answers.h"
#include "analysis/comparison/run_causes.h"
#include "analysis/comparison/run_comparison.h"
#include "model/application.h"

namespace sparkprof {

// Findings in only one of two runs, in their original order.
struct FindingChanges {
  std::vector<const Finding*> gone, added;
};

// Findings are equal if they have the same rule, and their stages the same lines of code. The result refers to the
// answers.
FindingChanges CompareFindings(const Application& before, const Answers& before_answers, const Application& after,
                               const Answers& after_answers);

// A query that two runs executed with different operators.
struct PlanChange {
  std::string name;                       // "collect at job.py:12"
  int64_t before_id = -1, after_id = -1;  // SQL execution IDs
  int64_t before_ns = 0, after_ns = 0;    // durations; 0 = unknown
  // Operators in only one of the runs, by name, with the number if above 1: "Sort ×2". At least one list is not empty.
  std::vector<std::string> gone, added;
};

// Matches queries by their description without numbers: first those with equal plans, then in order. Sorted by change
// of duration, largest first.
std::vector<PlanChange> ComparePlans(const Application& before, const Application& after);

struct ComparedRuns {
  RunComparison comparison;
  std::vector<RunCause> causes;  // largest first
  FindingChanges findings;       // refers to the answers
  std::vector<PlanChange> plans;
};

ComparedRuns CompareAnswered(const AnsweredRun& before, const AnsweredRun& after);

}  // namespace sparkprof
