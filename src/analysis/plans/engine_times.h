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

// Elapsed time of an operator, by the names of operators and metrics in the tables of engines/. It is not CPU time: a
// GPU's threads wait for the device, native scans for storage.
struct EngineTime {
  const Engine* engine = nullptr;         // null = one of Spark's own operators
  std::vector<EngineMetric> metrics;      // metrics that make up own_ns
  std::optional<int64_t> own_ns;          // without the operators below; nullopt if not measured
  std::optional<EngineMetric> inclusive;  // including the operators below
};

// Excludes times of Spark's own operators that operator_frames.h compares with samples. `node` must outlive the result.
EngineTime EngineTimeOf(const PlanNode& node);

// Total of a metric over the tasks of a stage in ns or as a number; for kMemory, the maximum in bytes. nullopt if no
// engine reports it, as opposed to 0.
std::optional<int64_t> EngineMetricOf(const Stage& stage, EngineTaskMetric metric);

}  // namespace sparkprof
