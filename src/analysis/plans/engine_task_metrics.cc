// SPDX-License-Identifier: Apache-2.0
#include "analysis/plans/engine_task_metrics.h"

#include <algorithm>

#include "base/saturate.h"

namespace sparkprof {

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
