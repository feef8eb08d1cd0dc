// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "analysis/plans/engine_reasons.h"
#include "engines/engines.h"

namespace sparkprof {
namespace {

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
