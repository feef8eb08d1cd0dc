// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/findings/finding.h"

namespace sparkprof {

// The stage's tasks (rows) that are the first ones of their executors, one for each core: they load classes and connect
// to the storage. Empty if they are more than half of the stage, which then has nothing to compare them with.
std::vector<uint32_t> FirstTasksOf(const FindingInput& input, const StageSummary& summary);

// The stage's tasks (rows) that start first, one for each core: they generate and compile the code of the stage. Empty
// if they are more than half of the stage.
std::vector<uint32_t> FirstWaveOf(const FindingInput& input, const StageSummary& summary);

}  // namespace sparkprof
