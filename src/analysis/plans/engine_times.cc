// SPDX-License-Identifier: Apache-2.0
#include "analysis/plans/engine_times.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/saturate.h"
#include "base/text/contains.h"
#include "base/text/text.h"
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
  return std::ranges::any_of(table.inclusive, [&](const OperatorMetrics& line) {
    return line.AreOf(node.name) && Contains(line.metrics, metric);
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

using ReasonsByName = std::map<std::string_view, std::vector<std::string_view>>;  // in the order of the text

// Parses "+-  Sort [COMET: unsupported] [COMET-INFO: …]" to "Sort" and "unsupported". The reason is empty without a
// mark.
std::pair<std::string_view, std::string_view> NameAndReason(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" :+-"), line.size()));
  for (const Engine& engine : Engines()) {
    if (engine.reason_mark.empty()) continue;
    const std::string mark = " [" + std::string(engine.reason_mark) + ": ";
    const size_t at = line.find(mark);
    if (at == std::string_view::npos) continue;
    const std::string_view reason = line.substr(at + mark.size());
    return {Trim(line.substr(0, at)), reason.substr(0, std::min(reason.find("] ["), reason.rfind(']')))};
  }
  return {Trim(line.substr(0, line.find(" ["))), {}};
}

ReasonsByName ReasonsIn(std::string_view plan_text) {
  ReasonsByName reasons;
  const size_t begin = plan_text.find("== Extended Information (");
  if (begin == std::string_view::npos) return reasons;
  for (const std::string_view line : Split(plan_text.substr(begin), '\n')) {
    const auto [name, reason] = NameAndReason(line);
    if (!name.empty()) reasons[name].push_back(reason);
  }
  return reasons;
}

bool IsSubquery(const PlanNode& node) { return Contains(node.name, "Subquery"); }

// In the order of the text: subqueries come before a node's inputs.
void CollectNodes(const PlanNode& node, std::map<std::string_view, std::vector<const PlanNode*>>* nodes) {
  (*nodes)[Trim(node.name)].push_back(&node);
  for (const bool subqueries : {true, false}) {
    for (const PlanNode& child : node.children) {
      if (IsSubquery(child) == subqueries) CollectNodes(child, nodes);
    }
  }
}

std::string AllOf(std::vector<std::string_view> reasons) {
  std::ranges::sort(reasons);
  reasons.erase(std::unique(reasons.begin(), reasons.end()), reasons.end());
  std::string all;
  for (const std::string_view reason : reasons) {
    if (!all.empty() && !reason.empty()) all += "; ";
    all += reason;
  }
  return all;
}

// Commands, operators of the driver, and references to results, which no engine can run.
bool HasNoWork(const PlanOperator& one) {
  constexpr std::string_view kKinds[] = {"Execute",        "CommandResult",  "LocalTableScan", "CollectLimit",
                                         "AQEShuffleRead", "ReusedExchange", "ReusedSubquery", "Subquery"};
  for (const std::string_view kind : kKinds) {
    if (one.kind == kind) return true;
  }
  return false;
}

std::optional<int64_t> OwnTime(const OperatorCost& cost) {
  for (const auto& time : {cost.cpu_ns, cost.native_ns, cost.gpu_ns, cost.elapsed_ns}) {
    if (time) return time;
  }
  return std::nullopt;
}

// Describes the operator at `row`, whose plan starts at row `first`.
EngineFallback FallbackAt(const OperatorCosts& costs, size_t first, size_t row, std::string reason) {
  EngineFallback fallback{std::move(reason), OwnTime(costs.costs[row])};
  const auto add = [&](int32_t beside) {
    const size_t at = first + static_cast<size_t>(beside);
    if (!IsTransition(costs.operators[at].one.plan->name)) return;
    if (const auto time = OwnTime(costs.costs[at])) fallback.cost_ns = fallback.cost_ns.value_or(0) + *time;
  };
  const PlanOperator& one = costs.operators[row].one;
  for (const int32_t input : one.inputs) add(input);
  if (one.parent >= 0) add(one.parent);
  return fallback;
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

EngineReasons::EngineReasons(const SqlExecution& sql) {
  const ReasonsByName by_name = ReasonsIn(sql.plan_text);
  if (by_name.empty()) return;
  std::map<std::string_view, std::vector<const PlanNode*>> nodes_by_name;
  CollectNodes(sql.plan, &nodes_by_name);
  for (const auto& [name, reasons] : by_name) {
    const auto nodes = nodes_by_name.find(name);
    if (nodes == nodes_by_name.end()) continue;
    const bool one_each = nodes->second.size() == reasons.size();
    for (size_t i = 0; i < nodes->second.size(); ++i) {
      std::string reason = one_each ? std::string(reasons[i]) : AllOf(reasons);
      if (!reason.empty()) reasons_.emplace(nodes->second[i], std::move(reason));
    }
  }
}

std::string EngineReasons::Of(const PlanNode& node) const {
  const auto found = reasons_.find(&node);
  return found == reasons_.end() ? std::string() : found->second;
}

std::vector<std::optional<EngineFallback>> FallbacksOf(const Application& application, const OperatorCosts& costs) {
  const std::vector<SqlOperator>& operators = costs.operators;
  std::vector<std::optional<EngineFallback>> fallbacks(operators.size());
  for (size_t first = 0, end = 0; first < operators.size(); first = end) {
    bool has_engine = false;
    for (end = first; end < operators.size() && operators[end].sql == operators[first].sql; ++end) {
      has_engine = has_engine || EngineOfOperator(operators[end].one.plan->name) != nullptr;
    }
    const EngineReasons reasons(application.sql_executions[static_cast<size_t>(operators[first].sql)]);
    if (!has_engine && reasons.IsEmpty()) continue;
    for (size_t row = first; row < end; ++row) {
      const PlanOperator& one = operators[row].one;
      if (EngineOfOperator(one.plan->name) != nullptr || IsTransition(one.plan->name) || HasNoWork(one)) continue;
      fallbacks[row] = FallbackAt(costs, first, row, reasons.Of(*one.plan));
    }
  }
  return fallbacks;
}

}  // namespace sparkprof
