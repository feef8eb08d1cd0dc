// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "analysis/findings/finding.h"
#include "analysis/time/stage_summary.h"
#include "model/application.h"

namespace sparkprof {

// True if a window without partition columns puts all rows into the stage's single partition.
bool HasWindowOfAllRows(const Application& application, const Stage& stage);

// Advice for more partitions of a stage, by what determines their number: "repartition() before the work, or a higher
// spark.sql.shuffle.partitions".
std::string MorePartitionsAdvice(const Application& application, const Stage& stage, const StageSummary& summary);

// Advice for about `wanted` partitions of a stage that has more, as a sentence.
std::string FewerPartitionsAdvice(const FindingInput& input, const Stage& stage, const StageSummary& summary,
                                  int64_t wanted);

// Advice for more shuffle partitions of a query, "set spark.sql.shuffle.partitions=64" (0 = the number is unknown);
// empty for RDDs, and if the program sets the number in its code.
std::string SettingOfShufflePartitions(const Application& application, const Stage& stage, int64_t partitions);

// The number of partitions with which the stage would not spill in its tasks' memory; 0 = it does not spill, or
// unknown.
int64_t PartitionsWithoutSpill(const StageSummary& summary);

// True if this many partitions occupy at most half of the cores.
bool HasFewPartitions(const FindingInput& input, int64_t count);

// The number for all advice about stages with few partitions: two per core, at most 128 MiB each, and without spills.
int64_t PartitionsWanted(const FindingInput& input, const StageSummary& summary);

}  // namespace sparkprof
