// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "event_log/events/decoded_task.h"

namespace sparkprof {

// "Task Info" of an event, with the stage members beside it; -1 = missing.
struct TaskInfo {
  int64_t stage_id = -1;
  int64_t stage_attempt = 0;
  int64_t id = -1;
  int64_t index = -1;
  int64_t attempt = 0;
  int64_t partition = -1;
  int64_t launch_ns = 0;
  int64_t getting_result_ns = 0;
  int64_t finish_ns = 0;
  std::string_view executor;
  std::string_view host;
  std::string_view locality;
  bool speculative = false;
};

// Fills `task` from `info`; it stays damaged without an ID.
void Describe(const TaskInfo& info, DecodedTaskKind kind, DecodedTask* task);

// Adds durations derived from the times in `info`.
void AddDurations(const TaskInfo& info, TaskValues* values);

// Adds the scheduler delay, the rest of the task's duration. Call last.
void AddSchedulerDelay(TaskValues* values);

}  // namespace sparkprof
