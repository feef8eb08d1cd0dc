// SPDX-License-Identifier: Apache-2.0
#include "event_log/task_metrics.h"

namespace sparkprof {

bool ReadTaskMetrics(const simdjson::dom::object& metrics, TaskValues* values) {
  bool has_peak = false;
  VisitTaskMetrics(metrics, [&](SparkTaskMetric metric, const simdjson::dom::element& element) {
    has_peak = has_peak || metric == SparkTaskMetric::kPeakExecutionMemory;
    AddTaskMetric(metric, IntegerOf(element, 0), values);
  });
  AddRemoteBytes(values);
  return has_peak;
}

}  // namespace sparkprof
