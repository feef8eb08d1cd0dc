// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/time/stage_summary.h"
#include "model/application.h"

namespace sparkprof {

// How to get more or fewer partitions of a stage, by what decides their number: "repartition() before the work, or a
// higher spark.sql.shuffle.partitions".
std::string MorePartitionsAdvice(const Application& application, const Stage& stage, const StageSummary& summary);
std::string FewerPartitionsAdvice(const Application& application, const Stage& stage, const StageSummary& summary);

// Returns what gives the shuffle of a query more partitions, "spark.sql.shuffle.partitions"; empty if the program
// sets their number in its code, or the stage is of an RDD.
std::string SettingOfShufflePartitions(const Application& application, const Stage& stage);

}  // namespace sparkprof
