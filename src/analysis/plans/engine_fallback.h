// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/plans/operator_costs.h"

namespace sparkprof {

// An operator that Spark itself runs although a native engine runs others in the plan, or explains why it does not.
struct EngineFallback {
  std::string reason;              // as in the plan's text; empty = the engine gave none
  std::optional<int64_t> cost_ns;  // own time of the operator and of the adjacent row conversions
};

// One entry per operator; nullopt for operators of engines, conversions, and plans without an engine. Uses CPU time if
// there are samples, else the times measured by Spark and the engine.
std::vector<std::optional<EngineFallback>> FallbacksOf(const Application& application, const OperatorCosts& costs);

}  // namespace sparkprof
