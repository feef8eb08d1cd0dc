// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// The slots of an executor: each has room for one task.
struct ExecutorSlots {
  int64_t begin_ns = 0, end_ns = 0;  // of the executor, within the application
  int64_t slots = 0;                 // where its cores are unknown, the most tasks that ran at once
  int64_t cores = 0;                 // 0 = unknown
  int64_t cpus = 1;                  // cores of a slot: spark.task.cpus

  int64_t UnusedCores() const { return cores == 0 ? 0 : cores - slots * cpus; }
};

// Which slot each attempt of a task held, and when. A driver notes the end of a task only when it has handled the
// result, and the slot has its next task by then: the end is at most that task's begin.
struct SlotTimes {
  // By row of Tasks. Attempts without a known start hold no slot: their begin and end are 0.
  std::vector<int64_t> begin_ns, end_ns;
  std::vector<int32_t> slot;    // -1 = none
  std::vector<int32_t> before;  // row of the attempt that held the slot before, -1 = none

  std::vector<ExecutorSlots> executors;  // by row of Application::executors; one more for tasks of unknown executors
  bool has_cores = false;                // of all executors that ran a task, and at least one executor is known
  int64_t cut_ns = 0;                    // time of tasks after they gave their slot away: the driver handled results
};

SlotTimes SlotTimesOf(const Application& application);

// Rows in the order of their times. Rows are mostly sorted by time already.
std::vector<uint32_t> RowsByTime(const std::vector<int64_t>& times_ns);

}  // namespace sparkprof
