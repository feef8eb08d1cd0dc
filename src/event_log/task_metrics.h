// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <array>
#include <cstdint>

#include "model/application.h"

namespace sparkprof {

using TaskValues = std::array<int64_t, kTaskMetricCount>;

// Adds Spark's "Task Metrics" to `values`, in the units of TaskMetric. Says whether the peak execution memory was among
// them (Spark 3.0 and later; before it is an accumulator only).
bool ReadTaskMetrics(const simdjson::dom::object& metrics, TaskValues* values);

}  // namespace sparkprof
