// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/findings/finding.h"

namespace sparkprof {

// A new rule is a file in this folder, which defines one of these functions, and its name in both lists.
StageRule FindSkew;                 // a few tasks have far more data than the others of their stage
StageRule FindStragglers;           // one task is far slower than the others, with about the same data
StageRule FindGcPressure;           // GC takes much of the task time
StageRule FindSpills;               // execution memory does not hold the data of a task
StageRule FindWaitingTasks;         // tasks sleep or wait in the JVM
StageRule FindPythonBoundStages;    // tasks wait for their Python worker
StageRule FindHotFrames;            // one function of the user is most of a stage's CPU
StageRule FindFetchWaits;           // tasks wait for blocks of the shuffle
StageRule FindSchedulerDelays;      // sending tasks and fetching results takes much of the task time
StageRule FindTinyTasks;            // starting a task costs more than its work
StageRule FindFailedWork;           // tasks and stages that failed, and what that cost
ApplicationRule FindIdleCores;      // executors are there but have nothing to run
ApplicationRule FindLostExecutors;  // executors removed neither by dynamic allocation nor by decommissioning

inline constexpr StageRule* kStageRules[] = {
    FindSkew,      FindStragglers, FindGcPressure,      FindSpills,    FindWaitingTasks, FindPythonBoundStages,
    FindHotFrames, FindFetchWaits, FindSchedulerDelays, FindTinyTasks, FindFailedWork,
};
inline constexpr ApplicationRule* kApplicationRules[] = {FindIdleCores, FindLostExecutors};

// What less than this is lost to is not worth a person's time.
inline constexpr int64_t kWorthwhileNs = 500'000'000;

// "straggler-3.0"
std::string StageFindingId(std::string_view rule, const Stage& stage);

// 0 if `whole` is 0.
double Share(int64_t part, int64_t whole);

// From the first launch to the last finish of a stage's tasks; 0 when unknown.
int64_t TaskSpan(const FindingInput& input, const StageSummary& stage, int64_t* begin_ns, int64_t* end_ns);

// How much of the stage's wall-clock time `task_time_ns`, a part of the time of its tasks, accounts for.
int64_t WallTimeOf(const FindingInput& input, const StageSummary& stage, int64_t task_time_ns);

}  // namespace sparkprof
