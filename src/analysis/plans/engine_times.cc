// SPDX-License-Identifier: Apache-2.0
#include "analysis/plans/engine_times.h"

#include <optional>

#include "model/plan_operators.h"

namespace sparkprof {
namespace {

// An engine that measures each step of an operator.
std::vector<EngineMetric> StepsOf(const PlanNode& node, const Engine& engine) {
  std::vector<EngineMetric> steps;
  EngineMetric largest;
  for (const PlanMetric& metric : node.metrics) {
    if (!metric.has_value || !metric.name.starts_with(engine.steps)) continue;
    const EngineMetric step{metric.name, static_cast<int64_t>(metric.value)};
    if (!metric.name.starts_with(engine.alternative_steps)) {
      steps.push_back(step);
    } else if (largest.name.empty() || step.ns > largest.ns) {
      largest = step;
    }
  }
  if (!largest.name.empty()) steps.push_back(largest);
  return steps;
}

}  // namespace

EngineTime EngineTimeOf(const PlanNode& node) {
  const std::string_view name = node.name;
  EngineTime time{EngineOfOperator(name), {}};
  if (time.engine == nullptr) return time;
  if (!time.engine->steps.empty()) time.metrics = StepsOf(node, *time.engine);
  for (const auto& [operators, metric] : time.engine->metrics) {
    if (!name.starts_with(operators)) continue;
    const std::optional<int64_t> ns = ValueOf(node, metric);
    if (!ns) continue;
    time.metrics.push_back({metric, *ns});
    break;
  }
  return time;
}

}  // namespace sparkprof
