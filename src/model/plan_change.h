// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// Changes by adaptive execution between two versions of a plan, one per operator: "SortMergeJoin → BroadcastHashJoin",
// "+ AQEShuffleRead coalesced", "- Exchange". Empty if the operators are the same: Spark also reports a plan when one
// of its stages has run.
std::vector<std::string> ChangesOfPlan(const PlanNode& before, const PlanNode& after);

}  // namespace sparkprof
