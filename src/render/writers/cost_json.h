// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/costs/costs.h"
#include "base/json_writer.h"

namespace sparkprof {

// Writes {"total","tasks","currency"}: the cost of an application's executors, and the part of its tasks.
void WriteCosts(const Costs& costs, JsonWriter* json);

// Writes {"low","high","currency"}: the value of a finding's saving.
void WriteSavedCost(const Costs& costs, const Finding& finding, JsonWriter* json);

}  // namespace sparkprof
