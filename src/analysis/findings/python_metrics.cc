// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/python_metrics.h"

#include <algorithm>

#include "analysis/findings/plan_operator.h"

namespace sparkprof {

PythonMetrics PythonMetricsOf(const Application& application, const Stage& stage) {
  PythonMetrics metrics;
  for (const PlanOperator& one : OperatorsOfStage(application, stage)) {
    // Two stages that ran the same operator share its metrics.
    if (!IsPythonOperator(one.kind) || one.stages.size() != 1) continue;
    metrics.start_ns += ValueOf(*one.plan, "time to start Python workers").value_or(0);
    metrics.initialize_ns += ValueOf(*one.plan, "time to initialize Python workers").value_or(0);
    // Workers of several operators of a stage run at once.
    metrics.run_ns = std::max(metrics.run_ns, ValueOf(*one.plan, "time to run Python workers").value_or(0));
  }
  return metrics;
}

}  // namespace sparkprof
