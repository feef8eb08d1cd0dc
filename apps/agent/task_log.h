// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>

#include "pipe_frames.h"
#include "segment_writer.h"
#include "spark/task_join.h"

namespace sparkprof {

// Follows the tasks that run in the JVM: notes each begin and end for the join and for the recording.
class TaskLog {
 public:
  TaskLog(SegmentWriter* writer, TaskJoin* join) : writer_(writer), join_(join) {}

  // Payloads of TASK_BEGIN and TASK_END; false when one is too short.
  bool OnBegin(std::string_view payload);
  bool OnEnd(std::string_view payload);

 private:
  SegmentWriter* writer_;
  TaskJoin* join_;
  std::unordered_map<int64_t, TaskInterval> open_;  // by OS thread id; times are of the epoch already
};

}  // namespace sparkprof
