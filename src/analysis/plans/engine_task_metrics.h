// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "engines/engines.h"
#include "model/application.h"

namespace sparkprof {

// The total of a metric over the tasks of a stage in ns or as a number, or its maximum in bytes for kMemory. Nothing if
// no engine reports it, which is not 0.
std::optional<int64_t> EngineMetricOf(const Stage& stage, EngineTaskMetric metric);

}  // namespace sparkprof
