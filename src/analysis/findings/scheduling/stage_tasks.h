// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "analysis/findings/finding.h"
#include "analysis/time/stage_summary.h"
#include "model/application.h"

namespace sparkprof {

// For each executor, the launch times of its first tasks, one per core, in ascending order.
std::vector<std::vector<int64_t>> FirstLaunches(const Application& application);

// The stage's tasks (rows) that are the first of their executors, one per core: they load classes and connect to the
// storage. Empty if they are more than half of the stage, because nothing remains to compare with.
std::vector<uint32_t> FirstTasksOf(const FindingInput& input, const StageSummary& summary);

// The stage's first tasks (rows), one per core: they generate and compile the stage's code. Empty if they are more than
// half of the stage.
std::vector<uint32_t> FirstWaveOf(const FindingInput& input, const StageSummary& summary);

// The stage's tasks (rows) that are the first of their executors, however many.
std::vector<uint32_t> TasksAtStartOfExecutors(const FindingInput& input, const StageSummary& summary);

// True if most of a time is caused by starting executors: it is in the first tasks of executors, or of the stage. A
// smaller share suffices in a short first stage; without later tasks to compare with, all of it counts.
using TimeOfTask = std::function<int64_t(uint32_t task)>;
bool IsOfStart(const FindingInput& input, const StageSummary& summary, const TimeOfTask& time_of);

// True if the task (a row) has far more records or bytes than the stage's median task.
bool HasFarMoreData(const Application& application, const StageSummary& stage, uint32_t task);

// True if the sample belongs to the task (a row of Application::tasks). Avoids an index of all tasks for a single one.
inline bool IsOfTask(const Application& application, const Sample& sample, uint32_t row) {
  return application.profile.tasks[sample.task].task == application.tasks.id[row];
}

// CPU time of a stage's tasks by stack, in ns. Empty if the total is too small for a finding.
std::unordered_map<StackId, int64_t> CpuOfStacks(const Application& application, const StageSummary& summary);

}  // namespace sparkprof
