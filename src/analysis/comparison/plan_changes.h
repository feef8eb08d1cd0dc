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
  int64_t before_ns = 0, after_ns = 0;    // durations, 0 = unknown
  // Operators of only one of the runs, by name, with their number where it is above 1: "Sort ×2". Not empty together.
  std::vector<std::string> gone, added;
};

// Queries match by their description without numbers, those with equal plans first, and then in their order. The
// largest change of the duration is first.
std::vector<PlanChange> ComparePlans(const Application& before, const Application& after);

}  // namespace sparkprof
