// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "engines/engines.h"
#include "model/application.h"

namespace sparkprof {

// Total of a metric over the tasks of a stage in ns or as a number; for kMemory, the maximum in bytes. nullopt if no
// engine reports it, as opposed to 0.
std::optional<int64_t> EngineMetricOf(const Stage& stage, EngineTaskMetric metric);

}  // namespace sparkprof
