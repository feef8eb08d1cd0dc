// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/plan_walk.h"

#include <algorithm>

#include "analysis/findings/rules.h"

namespace sparkprof {

void ForEachNode(const PlanNode& node, const std::function<void(const PlanNode&)>& visit) {
  visit(node);
  for (const PlanNode& child : node.children) ForEachNode(child, visit);
}

std::optional<int64_t> MetricOf(const PlanNode& node, std::string_view name) {
  for (const PlanMetric& metric : node.metrics) {
    if (metric.name == name && metric.has_value) return static_cast<int64_t>(metric.value);
  }
  return std::nullopt;
}

int64_t TimeOfStages(const FindingInput& input, const std::vector<int64_t>& stages) {
  int64_t time_ns = 0;
  for (size_t row = 0; row < input.stages.size(); ++row) {
    if (std::find(stages.begin(), stages.end(), input.application.stages[row].id) == stages.end()) continue;
    int64_t begin_ns = 0, end_ns = 0;
    time_ns += TaskSpan(input, input.stages[row], &begin_ns, &end_ns);
  }
  return time_ns;
}

}  // namespace sparkprof
