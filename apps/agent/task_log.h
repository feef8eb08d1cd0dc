// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>

#include "join/task_join.h"
#include "pipe_frames.h"
#include "segment_writer.h"
#include "task_times.h"

namespace sparkprof {

// Tracks the JVM's running tasks: passes each start and end to the join and the recording.
class TaskLog {
 public:
  TaskLog(SegmentWriter* writer, TaskJoin* join, TaskTimes* times) : writer_(writer), join_(join), times_(times) {}

  // Payloads of TASK_BEGIN and TASK_END. Return false if one is too short.
  bool OnBegin(std::string_view payload);
  bool OnEnd(std::string_view payload);

 private:
  struct Open {
    TaskInterval interval;  // with times since the epoch
    int64_t monotonic_begin_ns = 0;
  };

  // Closes a task whose end will not arrive: a different task was seen on the thread at `monotonic_ns`.
  void CloseUnseen(Open* open, int64_t monotonic_ns);

  SegmentWriter* writer_;
  TaskJoin* join_;
  TaskTimes* times_;
  std::unordered_map<int64_t, Open> open_;  // by OS thread ID
};

}  // namespace sparkprof
