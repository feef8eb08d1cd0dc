// SPDX-License-Identifier: Apache-2.0
#include "analysis/plans/engine_fallback.h"

#include "analysis/plans/engine_times.h"

namespace sparkprof {
namespace {

// "Sort [COMET: unsupported sort order]": ExtendedExplainInfo.scala of Comet.
std::string_view ReasonIn(std::string_view text) {
  constexpr std::string_view kMark = "[COMET: ";
  const size_t begin = text.find(kMark);
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin + kMark.size());
  return text.substr(0, text.find(']'));
}

// Commands, what the driver makes itself, and references to results: no engine could run them.
bool HasNoWork(const PlanOperator& one) {
  constexpr std::string_view kKinds[] = {"Execute",        "CommandResult",  "LocalTableScan", "CollectLimit",
                                         "AQEShuffleRead", "ReusedExchange", "ReusedSubquery"};
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

}  // namespace

std::vector<std::optional<EngineFallback>> FallbacksOf(const OperatorCosts& costs) {
  const std::vector<SqlOperator>& operators = costs.operators;
  std::vector<std::optional<EngineFallback>> fallbacks(operators.size());
  for (size_t first = 0; first < operators.size();) {
    size_t end = first;
    bool has_engine = false;
    for (; end < operators.size() && operators[end].sql == operators[first].sql; ++end) {
      has_engine = has_engine || EngineOfOperator(operators[end].one.plan->name) != nullptr;
    }
    for (size_t row = first; has_engine && row < end; ++row) {
      const PlanOperator& one = operators[row].one;
      if (EngineOfOperator(one.plan->name) != nullptr || IsTransition(one.plan->name) || HasNoWork(one)) continue;
      EngineFallback fallback{ReasonIn(one.plan->text), OwnTime(costs.costs[row])};
      const auto add = [&](int32_t beside) {
        const size_t at = first + static_cast<size_t>(beside);
        if (!IsTransition(operators[at].one.plan->name)) return;
        if (const auto time = OwnTime(costs.costs[at])) fallback.cost_ns = fallback.cost_ns.value_or(0) + *time;
      };
      for (const int32_t input : one.inputs) add(input);
      if (one.parent >= 0) add(one.parent);
      fallbacks[row] = fallback;
    }
    first = end;
  }
  return fallbacks;
}

}  // namespace sparkprof
