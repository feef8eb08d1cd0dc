// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/application.h"

namespace sparkprof {

struct ExecutorSlots {
  int64_t begin_ns = 0, end_ns = 0;  // lifetime of the executor within the application
  int64_t slots = 0;                 // if its cores are unknown, the maximum number of concurrent tasks
  int64_t cores = 0;                 // 0 = unknown
  int64_t cpus = 1;                  // cores per slot: spark.task.cpus

  int64_t UnusedCores() const { return cores == 0 ? 0 : cores - slots * cpus; }
};

// Slot and time of each task attempt. A driver records a task's end only after handling the result, when the slot may
// already run its next task, so the end is limited to that task's start.
struct SlotTimes {
  // Times by task row. Attempts without a known start have no slot: their start and end are 0.
  std::vector<int64_t> begin_ns, end_ns;
  std::vector<int32_t> slot;    // -1 = none
  std::vector<int32_t> before;  // row of the previous attempt in the slot; -1 = none

  std::vector<ExecutorSlots> executors;  // by row of Application::executors, plus one for tasks of unknown executors
  bool has_cores = false;                // cores of all executors with tasks are known, and at least one executor is
  int64_t cut_ns = 0;                    // time of tasks after releasing their slot, while the driver handled results
};

SlotTimes SlotTimesOf(const Application& application);

// Rows sorted by time; they are mostly sorted already.
std::vector<uint32_t> RowsByTime(const std::vector<int64_t>& times_ns);

}  // namespace sparkprof
