// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/application.h"
#include "model/application_index.h"

namespace sparkprof {

// Merges task intervals recorded by executors into an application's tasks. The driver's events take precedence; without
// them, tasks and stages are derived from the intervals.
class TaskIntervals {
 public:
  TaskIntervals(Application* application, ApplicationIndex* index)
      : application_(application), index_(index), stages_from_events_(application->stages.size()) {}

  // `executor` is a row; -1 = unknown.
  void Add(const std::vector<TaskInterval>& intervals, int32_t executor);

  // Sets times and status of stages without events, durations of tasks, and the CPU samples of each task. Call after
  // adding the samples.
  void Finish();

 private:
  void FillStages();
  void FillMetrics();

  Application* application_;
  ApplicationIndex* index_;
  size_t stages_from_events_;  // later rows come from intervals
};

}  // namespace sparkprof
