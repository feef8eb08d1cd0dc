// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/account/schedule.h"
#include "analysis/account/slot_times.h"
#include "model/application.h"

namespace sparkprof {

// A change to a run. Times are added, or removed where they are below 0. Empty lists change nothing.
struct ScheduleChange {
  struct AddedTask {
    int32_t stage = -1;  // row
    int64_t ns = 0;
  };

  std::vector<int64_t> task_ns;  // by row of Tasks
  std::vector<int64_t> gap_ns;   // of the driver, by Schedule::gaps_ns
  std::vector<bool> drops_task;
  std::vector<bool> drops_stage;       // by row of Application::stages, with its tasks and the gap before it
  std::vector<bool> drops_job;         // by row of Application::jobs, with its stages and the gap at its end
  std::vector<AddedTask> added_tasks;  // start after the stage's others
};

// Runs a schedule again: attempts in the order of their launch on as many slots as there were at each time, stages
// after their parents and jobs after those that the driver waited for, each with its recorded gap. Tasks that do not
// change keep their lengths. Locality, new requests for executors and new plans of adaptive execution are not replayed.
class ScheduleReplay {
 public:
  // All arguments must outlive it.
  ScheduleReplay(const Application& application, const SlotTimes& times, const Schedule& schedule);

  // The application's duration in the replay without a change.
  int64_t UnchangedNs() const { return unchanged_ns_; }

  // Whether the replay is close enough to the recorded duration to predict others: at most kMaxError off.
  bool IsReliable() const;
  static constexpr double kMaxError = 0.05;

  int64_t DurationWith(const ScheduleChange& change) const;

  // By how much the change shortens the run; nothing where the replay is not reliable.
  std::optional<int64_t> SavingOf(const ScheduleChange& change) const;

  // How a stage went in the replay without a change. One that had all slots to itself takes as long in any other replay
  // in which it has them, too, so that only the tasks of stages that change are run again.
  struct StageRun {
    int64_t begin_ns = 0, done_ns = 0, last_ns = 0;  // the end of the tasks that it needs, and of all
    int64_t slots = 0;
    bool is_alone = false;
  };

 private:
  const Application& application_;
  const SlotTimes& times_;
  const Schedule& schedule_;
  std::vector<int64_t> length_ns_;  // of each task in its slot, with the dispatch before it
  std::vector<StageRun> stages_;    // by position in the schedule
  int64_t unchanged_ns_ = 0;
};

}  // namespace sparkprof
