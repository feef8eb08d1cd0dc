// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// The engines below Spark that measure the time of their operators themselves.
enum class Engine : uint8_t { kNone, kGpu, kNative };

struct EngineMetric {
  std::string_view name;
  int64_t ns = 0;
};

// The time that an engine spent in an operator, without the operators below it. Engines measure elapsed time, which is
// not CPU time: a GPU's threads wait for the device, native scans for storage.
struct EngineTime {
  Engine engine = Engine::kNone;      // kNone: one of Spark's own operators
  std::vector<EngineMetric> metrics;  // parts of it that add up; empty = the engine measured none
};

// Times of RAPIDS (kGpu), and of Photon, Comet, Auron and Gluten (kNative), by the names of operators and metrics in
// their releases. `node` must outlive the result.
EngineTime EngineTimeOf(const PlanNode& node);

}  // namespace sparkprof
