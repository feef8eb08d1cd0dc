// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/text/json_parser.h"
#include "model/application.h"
#include "model/task_metrics.h"

namespace sparkprof {

// Calls `use(SparkTaskMetric, element)` for each of Spark's metrics in `object` and its nested groups. The first call
// passes an event's "Task Metrics" without a group.
template <typename Use>
void VisitTaskMetrics(const simdjson::dom::object& object, const Use& use, std::string_view group = {}) {
  size_t begin = 0;
  while (begin < kSparkTaskMetricCount && kSparkTaskMetrics[begin].group != group) ++begin;
  size_t end = begin;
  while (end < kSparkTaskMetricCount && kSparkTaskMetrics[end].group == group) ++end;
  const size_t size = end - begin;
  if (size == 0) return;
  // Spark writes metrics approximately in the order of the table, which shortens the search.
  size_t next = 0;
  for (const simdjson::dom::key_value_pair member : object) {
    simdjson::dom::object inner;
    if (member.value.get_object().get(inner) == simdjson::SUCCESS) {
      if (!member.key.empty()) VisitTaskMetrics(inner, use, member.key);
      continue;
    }
    for (size_t tried = 0; tried < size; ++tried) {
      const size_t at = (next + tried) % size;
      if (kSparkTaskMetrics[begin + at].event != member.key) continue;
      use(static_cast<SparkTaskMetric>(begin + at), member.value);
      next = at + 1;
      break;
    }
  }
}

using TaskValues = std::array<int64_t, kTaskMetricCount>;

// Adds one of Spark's metrics, in Spark's unit, to its column.
inline void AddTaskMetric(SparkTaskMetric metric, int64_t value, TaskValues* values) {
  // Half of the range of int64, so that two values can be added.
  constexpr int64_t kMaxValue = INT64_MAX / 2;
  const SparkTaskMetricNames& names = NamesOf(metric);
  if (!names.HasColumn()) return;
  if (names.in_millis) value = NanosFromMillis(value);
  int64_t& sum = (*values)[static_cast<size_t>(names.column)];
  if (value > 0 && value < kMaxValue && sum < kMaxValue) sum += value;
}

// Call after the last metric. Spark counts remote and local bytes separately; both are less than half of the range of
// int64.
inline void AddRemoteBytes(TaskValues* values) {
  (*values)[static_cast<size_t>(TaskMetric::kShuffleReadBytes)] +=
      (*values)[static_cast<size_t>(TaskMetric::kShuffleRemoteBytes)];
}

// Adds Spark's "Task Metrics" to `values`, in the units of TaskMetric. Returns whether they include the peak execution
// memory (Spark 3.0 and later; before, it is only an accumulator).
bool ReadTaskMetrics(const simdjson::dom::object& metrics, TaskValues* values);

// Spark's "Task End Reason" in the wording of its REST API, followed by the stack trace if there is one.
std::string TaskFailureText(const simdjson::dom::object& reason);

}  // namespace sparkprof
