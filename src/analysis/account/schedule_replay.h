// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/account/schedule.h"
#include "model/application.h"

namespace sparkprof {

// A change to a run; empty lists change nothing.
struct ScheduleChange {
  struct AddedTask {
    int32_t stage = -1;  // row of Application::stages
    int64_t ns = 0;
  };

  std::vector<int64_t> task_ns;        // added to each task (row); negative = removed
  std::vector<AddedTask> added_tasks;  // start after the stage's other tasks
};

// Replays a schedule: attempts in launch order on the number of slots at each time, stages after their parents and jobs
// after those that the driver waited for, each with its recorded gap. Unchanged tasks keep their length. Does not
// replay locality, executor requests and new plans of adaptive execution.
class ScheduleReplay {
 public:
  // All arguments must outlive it.
  ScheduleReplay(const Application& application, const SlotTimes& times, const Schedule& schedule);

  int64_t UnchangedNs() const { return unchanged_ns_; }

  // Whether the replay is close enough to the recorded duration for predictions: at most kMaxError off.
  bool IsReliable() const;
  static constexpr double kMaxError = 0.05;

  int64_t DurationWith(const ScheduleChange& change) const;

  // Result of a stage in the replay without a change. A stage that had all slots to itself takes the same time in any
  // other replay in which it has them, so only tasks of changed stages are replayed.
  struct StageRun {
    int64_t begin_ns = 0, done_ns = 0, last_ns = 0;  // end of the required tasks, and of all
    int64_t slots = 0;
    bool is_alone = false;
  };

 private:
  const Application& application_;
  const SlotTimes& times_;
  const Schedule& schedule_;
  std::vector<int64_t> length_ns_;  // length of each task in its slot, including the dispatch before it
  std::vector<StageRun> stages_;    // by index in the schedule
  int64_t unchanged_ns_ = 0;
};

}  // namespace sparkprof
