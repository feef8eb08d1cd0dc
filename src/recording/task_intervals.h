// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/application.h"
#include "model/application_index.h"

namespace sparkprof {

// Brings the task intervals that the executors saw into an application's tasks. Where the driver's events know more,
// they hold; without them tasks and stages come from the intervals alone.
class TaskIntervals {
 public:
  TaskIntervals(Application* application, ApplicationIndex* index)
      : application_(application), index_(index), stages_from_events_(application->stages.size()) {}

  // `executor` is a row, -1 = unknown.
  void Add(const std::vector<TaskInterval>& intervals, int32_t executor);

  // Times and status of stages that no event told of, durations of tasks, and the cpu samples of each task (after the
  // application's samples are there).
  void Finish();

 private:
  void FillStages();
  void FillMetrics();

  Application* application_;
  ApplicationIndex* index_;
  size_t stages_from_events_;  // the rows after them come from intervals
};

}  // namespace sparkprof
