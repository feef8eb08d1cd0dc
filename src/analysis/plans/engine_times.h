// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engines/engines.h"
#include "model/application.h"

namespace sparkprof {

struct EngineMetric {
  std::string_view name;
  int64_t ns = 0;
};

// The time that an engine spent in an operator, without the operators below it. Engines measure elapsed time, which is
// not CPU time: a GPU's threads wait for the device, native scans for storage.
struct EngineTime {
  const Engine* engine = nullptr;     // null: one of Spark's own operators
  std::vector<EngineMetric> metrics;  // parts of it that add up; empty = the engine measured none
};

// By the names of operators and metrics in the tables of engines/. `node` must outlive the result.
EngineTime EngineTimeOf(const PlanNode& node);

}  // namespace sparkprof
