// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/plans/operator_costs.h"

namespace sparkprof {

// An operator that Spark runs itself in a plan of which an engine runs others, or explains why it does not.
struct EngineFallback {
  std::string reason;              // as the engine wrote it into the plan's text; empty = it did not
  std::optional<int64_t> cost_ns;  // own time of the operator and of the conversions of rows beside it
};

// One for each operator; nothing for those of engines, conversions, and plans without an engine. The time is CPU time
// where there are samples, else what Spark and the engine measured.
std::vector<std::optional<EngineFallback>> FallbacksOf(const Application& application, const OperatorCosts& costs);

}  // namespace sparkprof
