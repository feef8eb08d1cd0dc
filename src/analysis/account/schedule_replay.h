// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/account/schedule.h"
#include "analysis/account/slot_times.h"
#include "model/application.h"

namespace sparkprof {

// A change to a run. Times are added; negative ones are removed. Empty lists change nothing.
struct ScheduleChange {
  struct AddedTask {
    int32_t stage = -1;  // row of Application::stages
    int64_t ns = 0;
  };

  std::vector<int64_t> task_ns;  // by task row
  std::vector<int64_t> gap_ns;   // driver time, by index of Schedule::gaps_ns
  std::vector<bool> drops_task;
  std::vector<bool> drops_stage;       // by row of Application::stages; includes its tasks and the gap before it
  std::vector<bool> drops_job;         // by row of Application::jobs; includes its stages and the gap at its end
  std::vector<AddedTask> added_tasks;  // start after the stage's other tasks
};

// Replays a schedule: attempts in launch order on the number of slots at each time, stages after their parents and jobs
// after those that the driver waited for, each with its recorded gap. Unchanged tasks keep their length. Does not
// replay locality, executor requests and new plans of adaptive execution.
class ScheduleReplay {
 public:
  // All arguments must outlive it.
  ScheduleReplay(const Application& application, const SlotTimes& times, const Schedule& schedule);

  // The application's duration in the replay without a change.
  int64_t UnchangedNs() const { return unchanged_ns_; }

  // Whether the replay is close enough to the recorded duration for predictions: at most kMaxError off.
  bool IsReliable() const;
  static constexpr double kMaxError = 0.05;

  int64_t DurationWith(const ScheduleChange& change) const;

  // How much the change shortens the run; nullopt if the replay is not reliable.
  std::optional<int64_t> SavingOf(const ScheduleChange& change) const;

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
