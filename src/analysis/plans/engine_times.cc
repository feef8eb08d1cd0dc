// SPDX-License-Identifier: Apache-2.0
#include "analysis/plans/engine_times.h"

#include <algorithm>

#include "base/saturate.h"
#include "model/plan_operators.h"

namespace sparkprof {
namespace {

// The operator's first nonzero one of the metrics, else its first one.
std::optional<EngineMetric> FirstOf(const PlanNode& node, const std::vector<std::string_view>& metrics) {
  std::optional<EngineMetric> first;
  for (const std::string_view metric : metrics) {
    const std::optional<int64_t> ns = ValueOf(node, metric);
    if (ns && (!first || first->ns == 0)) first = EngineMetric{metric, *ns};
  }
  return first;
}

// The metric of the first line that applies to the operator.
std::optional<EngineMetric> FirstOf(const PlanNode& node, const std::vector<OperatorMetrics>& lines) {
  for (const OperatorMetrics& line : lines) {
    if (!line.AreOf(node.name)) continue;
    if (const std::optional<EngineMetric> metric = FirstOf(node, line.metrics)) return metric;
  }
  return std::nullopt;
}

bool IsInclusive(const Engine& table, const PlanNode& node, std::string_view metric) {
  return std::any_of(table.inclusive.begin(), table.inclusive.end(), [&](const OperatorMetrics& line) {
    return line.AreOf(node.name) && std::find(line.metrics.begin(), line.metrics.end(), metric) != line.metrics.end();
  });
}

// Metrics of an engine that measures each step of an operator.
std::vector<EngineMetric> StepsOf(const PlanNode& node, const Engine& table) {
  std::vector<EngineMetric> steps;
  EngineMetric largest;
  for (const PlanMetric& metric : node.metrics) {
    if (!metric.has_value || !metric.name.starts_with(table.steps) || IsInclusive(table, node, metric.name)) continue;
    const EngineMetric step{metric.name, static_cast<int64_t>(metric.value)};
    if (!metric.name.starts_with(table.alternative_steps)) {
      steps.push_back(step);
    } else if (largest.name.empty() || step.ns > largest.ns) {
      largest = step;
    }
  }
  if (!largest.name.empty()) steps.push_back(largest);
  return steps;
}

std::vector<EngineMetric> OwnMetricsOf(const PlanNode& node, const Engine& table) {
  std::vector<EngineMetric> metrics;
  if (!table.steps.empty()) metrics = StepsOf(node, table);
  for (const OperatorMetrics& part : table.parts) {
    if (!part.AreOf(node.name)) continue;
    if (const std::optional<EngineMetric> metric = FirstOf(node, part.metrics)) metrics.push_back(*metric);
  }
  if (!metrics.empty()) return metrics;
  if (const std::optional<EngineMetric> metric = FirstOf(node, table.metrics)) metrics.push_back(*metric);
  return metrics;
}

// The time in the metric that is not the operator's own or is already counted.
int64_t CountedBeside(const PlanNode& node, const Engine& table, std::string_view metric) {
  int64_t sum_ns = 0;
  for (const OperatorMetrics& line : table.without) {
    if (!line.AreOf(node.name) || line.metrics.front() != metric) continue;
    for (auto part = line.metrics.begin() + 1; part != line.metrics.end(); ++part)
      AddSaturated(std::max<int64_t>(0, ValueOf(node, *part).value_or(0)), &sum_ns);
  }
  return sum_ns;
}

}  // namespace

EngineTime EngineTimeOf(const PlanNode& node) {
  EngineTime time;
  time.engine = EngineOfOperator(node.name);
  const Engine& table = time.engine == nullptr ? SparkEngine() : *time.engine;
  time.inclusive = FirstOf(node, table.inclusive);
  time.metrics = OwnMetricsOf(node, table);
  if (time.metrics.empty()) return time;
  int64_t sum_ns = 0;
  for (const EngineMetric& metric : time.metrics) AddSaturated(metric.ns, &sum_ns);
  for (const EngineMetric& metric : time.metrics) AddSaturated(-CountedBeside(node, table, metric.name), &sum_ns);
  time.own_ns = std::max<int64_t>(0, sum_ns);
  return time;
}

std::optional<int64_t> EngineMetricOf(const Stage& stage, EngineTaskMetric metric) {
  std::optional<int64_t> total;
  for (const auto& [name, value] : stage.engine_metrics) {
    if (EngineTaskMetricOf(name) != metric) continue;
    int64_t sum = total.value_or(0);
    AddSaturated(value, &sum);
    total = metric == EngineTaskMetric::kMemory ? std::max(total.value_or(0), value) : sum;
  }
  return total;
}

}  // namespace sparkprof
