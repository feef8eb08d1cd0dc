// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "analysis/findings/finding.h"

namespace sparkprof {

// How many partitions the stage needs for the memory that its tasks had; 0 = it does not spill, or that is unknown.
int64_t PartitionsWithoutSpill(const StageSummary& summary);

// Whether so many partitions occupy at most half of the cores.
bool HasFewPartitions(const FindingInput& input, int64_t count);

// One number for all advice about a stage with few partitions: two for each core, 128 MiB each, and none that spills.
int64_t PartitionsWanted(const FindingInput& input, const StageSummary& summary);

}  // namespace sparkprof
