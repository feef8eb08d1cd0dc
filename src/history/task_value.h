// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "model/task_metrics.h"

namespace sparkprof {

// One number per SparkTaskMetric, in Spark's units.
struct HistoryTaskValues {
  std::array<int64_t, kSparkTaskMetricCount> numbers{};

  int64_t& operator[](SparkTaskMetric value) { return numbers[static_cast<size_t>(value)]; }
  int64_t operator[](SparkTaskMetric value) const { return numbers[static_cast<size_t>(value)]; }
};

}  // namespace sparkprof
