// SPDX-License-Identifier: Apache-2.0
#include "event_log/task_metrics.h"

#include "base/json_value.h"

namespace sparkprof {

bool ReadTaskMetrics(const simdjson::dom::object& metrics, TaskValues* values) {
  // Half of the range of int64, so that two values can be added.
  constexpr int64_t kMaxValue = INT64_MAX / 2;
  bool has_peak = false;
  VisitTaskMetrics(metrics, [&](SparkTaskMetric metric, const simdjson::dom::element& element) {
    const SparkTaskMetricNames& names = NamesOf(metric);
    has_peak = has_peak || metric == SparkTaskMetric::kPeakExecutionMemory;
    if (!names.HasColumn()) return;
    int64_t value = IntegerOf(element, 0);
    if (names.in_millis) value = NanosFromMillis(value);
    int64_t& sum = (*values)[static_cast<size_t>(names.column)];
    if (value > 0 && value < kMaxValue && sum < kMaxValue) sum += value;
  });
  // Spark counts remote and local bytes separately; both are less than half of the range of int64.
  (*values)[static_cast<size_t>(TaskMetric::kShuffleReadBytes)] +=
      (*values)[static_cast<size_t>(TaskMetric::kShuffleRemoteBytes)];
  return has_peak;
}

}  // namespace sparkprof
