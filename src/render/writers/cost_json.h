// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/costs/costs.h"
#include "base/json_writer.h"

namespace sparkprof {

// {"total","tasks","currency"}: what an application's executors cost, and the part of its tasks.
void WriteCosts(const Costs& costs, JsonWriter* json);

// {"low","high","currency"}: what a finding's saving is worth.
void WriteSavedCost(const Costs& costs, const Finding& finding, JsonWriter* json);

}  // namespace sparkprof
