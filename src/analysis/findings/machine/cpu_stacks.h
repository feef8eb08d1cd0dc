// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>

#include "analysis/time/stage_summary.h"
#include "model/application.h"

namespace sparkprof {

// CPU time of a stage's tasks by stack, in ns. Empty if the total is too small for a finding.
std::unordered_map<StackId, int64_t> CpuOfStacks(const Application& application, const StageSummary& summary);

}  // namespace sparkprof
