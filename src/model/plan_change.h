// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// The changes by adaptive execution from one version of a plan to the next, an operator each: "SortMergeJoin →
// BroadcastHashJoin", "+ AQEShuffleRead coalesced", "- Exchange". Empty if the operators are the same: Spark also
// reports a plan when a stage of it has run.
std::vector<std::string> ChangesOfPlan(const PlanNode& before, const PlanNode& after);

}  // namespace sparkprof
