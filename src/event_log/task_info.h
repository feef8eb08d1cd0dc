// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "event_log/decoded_task.h"

namespace sparkprof {

// "Task Info" of an event and the stage that stands beside it, -1 where a member is missing.
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

// Makes `task` the one of `info`; it stays damaged without an ID.
void Describe(const TaskInfo& info, DecodedTaskKind kind, DecodedTask* task);

// Adds the durations that follow from the times of `info`.
void AddDurations(const TaskInfo& info, TaskValues* values);

// Adds the delay of the scheduler, which is the rest of the task's duration: the last value to be added.
void AddSchedulerDelay(TaskValues* values);

}  // namespace sparkprof
