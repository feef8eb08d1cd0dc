// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/plans/operator_costs.h"

namespace sparkprof {

// An operator that Spark runs itself in a plan of which an engine runs others.
struct EngineFallback {
  std::string_view reason;         // as the engine wrote it into the plan; empty = it did not
  std::optional<int64_t> cost_ns;  // own time of the operator and of the conversions of rows beside it
};

// One for each operator; nothing for those of engines, conversions, and plans without an engine. The time is CPU time
// where there are samples, else what Spark and the engine measured. Views the plans.
std::vector<std::optional<EngineFallback>> FallbacksOf(const OperatorCosts& costs);

}  // namespace sparkprof
