// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "analysis/findings/finding.h"
#include "model/application.h"

namespace sparkprof {

// Calls `visit` for `node` and everything below it.
void ForEachNode(const PlanNode& node, const std::function<void(const PlanNode&)>& visit);

// The value of a node's metric; nothing if the plan has none.
std::optional<int64_t> MetricOf(const PlanNode& node, std::string_view name);

// Wall-clock time of the tasks in the stages of a node.
int64_t TimeOfStages(const FindingInput& input, const std::vector<int64_t>& stages);

}  // namespace sparkprof
