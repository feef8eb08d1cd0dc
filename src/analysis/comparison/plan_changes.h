// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/application.h"

namespace sparkprof {

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

}  // namespace sparkprof
