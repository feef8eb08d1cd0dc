// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analysis/findings/finding.h"
#include "analysis/time/stage_summary.h"
#include "model/application.h"

namespace sparkprof {

// For each executor, when its first tasks began, one for each core, the earliest first.
std::vector<std::vector<int64_t>> FirstLaunches(const Application& application);

// The stage's tasks (rows) that are the first ones of their executors, one for each core: they load classes and connect
// to the storage. Empty if they are more than half of the stage, which then has nothing to compare them with.
std::vector<uint32_t> FirstTasksOf(const FindingInput& input, const StageSummary& summary);

// The stage's tasks (rows) that start first, one for each core: they generate and compile the code of the stage. Empty
// if they are more than half of the stage.
std::vector<uint32_t> FirstWaveOf(const FindingInput& input, const StageSummary& summary);

// The stage's tasks (rows) that are the first ones of their executors, however many.
std::vector<uint32_t> TasksAtStartOfExecutors(const FindingInput& input, const StageSummary& summary);

// Whether most of a time of the stage's tasks is that of executors that start: it is in their first tasks or in the
// first ones of the stage. Much of it is enough in a short first stage, and all of it counts if such a stage has no
// later tasks to compare with.
using TimeOfTask = std::function<int64_t(uint32_t task)>;
bool IsOfStart(const FindingInput& input, const StageSummary& summary, const TimeOfTask& time_of);

// True if the task (a row) has far more records or bytes than the median task of its stage.
bool HasFarMoreData(const Application& application, const StageSummary& stage, uint32_t task);

// Whether a sample is of the task in a row of Application::tasks. For one task of many, it needs no index of all.
inline bool IsOfTask(const Application& application, const Sample& sample, uint32_t row) {
  return application.profile.tasks[sample.task].task == application.tasks.id[row];
}

}  // namespace sparkprof
