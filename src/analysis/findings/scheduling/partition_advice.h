// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "analysis/findings/finding.h"
#include "analysis/time/stage_summary.h"
#include "model/application.h"

namespace sparkprof {

// Whether all rows of a query's window are in the one partition of the stage, because it names no column to partition
// by.
bool HasWindowOfAllRows(const Application& application, const Stage& stage);

// How to get more partitions of a stage, by what decides their number: "repartition() before the work, or a higher
// spark.sql.shuffle.partitions".
std::string MorePartitionsAdvice(const Application& application, const Stage& stage, const StageSummary& summary);

// How to get about `wanted` partitions of a stage that has more, in a sentence.
std::string FewerPartitionsAdvice(const FindingInput& input, const Stage& stage, const StageSummary& summary,
                                  int64_t wanted);

// Returns what gives the shuffle of a query more partitions, "set spark.sql.shuffle.partitions=64" (0 = their number is
// unknown); empty if the program sets their number in its code, or the stage is of an RDD.
std::string SettingOfShufflePartitions(const Application& application, const Stage& stage, int64_t partitions);

// How many partitions the stage needs for the memory that its tasks had; 0 = it does not spill, or that is unknown.
int64_t PartitionsWithoutSpill(const StageSummary& summary);

// Whether so many partitions occupy at most half of the cores.
bool HasFewPartitions(const FindingInput& input, int64_t count);

// One number for all advice about a stage with few partitions: two for each core, 128 MiB each, and none that spills.
int64_t PartitionsWanted(const FindingInput& input, const StageSummary& summary);

}  // namespace sparkprof
