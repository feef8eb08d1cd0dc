// SPDX-License-Identifier: Apache-2.0
#include "history/executor_metrics.h"

#include <algorithm>

#include "base/text/json_parser.h"

namespace sparkprof {

ExecutorMetricValues ReadExecutorMetrics(const simdjson::dom::object& metrics) {
  ExecutorMetricValues values{};
  size_t next = 0;  // Spark writes them in a fixed order
  for (const simdjson::dom::key_value_pair member : metrics) {
    for (size_t tried = 0; tried < kExecutorMetricCount; ++tried) {
      const size_t metric = (next + tried) % kExecutorMetricCount;
      if (kExecutorMetricNames[metric] != member.key) continue;
      values[metric] = IntegerOf(member.value, 0);
      next = metric + 1;
      break;
    }
  }
  return values;
}

void ExecutorPeaks::Update(const ExecutorMetricValues& seen) {
  is_set = true;
  for (size_t metric = 0; metric < kExecutorMetricCount; ++metric)
    values[metric] = std::max(values[metric], seen[metric]);
}

}  // namespace sparkprof
