// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engines/engines.h"
#include "model/application.h"

namespace sparkprof {

struct EngineMetric {
  std::string_view name;
  int64_t ns = 0;
};

// The elapsed time of an operator, by the names of operators and metrics in the tables of engines/. It is not CPU time:
// a GPU's threads wait for the device, native scans for storage.
struct EngineTime {
  const Engine* engine = nullptr;         // null: one of Spark's own operators
  std::vector<EngineMetric> metrics;      // behind own_ns
  std::optional<int64_t> own_ns;          // without the operators below it; unknown if nothing measured it
  std::optional<EngineMetric> inclusive;  // with operators below it
};

// Times of Spark's own operators that operator_frames.h compares with samples are left out. `node` must outlive the
// result.
EngineTime EngineTimeOf(const PlanNode& node);

}  // namespace sparkprof
