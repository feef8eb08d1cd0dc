// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/selection/stack_kinds.h"
#include "model/application.h"

namespace sparkprof {

// Smallest, quartiles and largest of one metric over the tasks of a stage that ended; nearest rank, no interpolation.
struct Quantiles {
  int64_t min = 0, p25 = 0, p50 = 0, p75 = 0, max = 0;
};

Quantiles QuantilesOf(std::vector<int64_t> values);

struct StageSummary {
  std::vector<uint32_t> tasks;         // rows, in their order
  std::vector<uint32_t> samples;       // rows of the cpu and wall samples of its tasks
  std::vector<uint32_t> lock_samples;  // rows of their lock samples
  // Rows of the cpu and wall samples of their Python workers, in Application::python_samples as it was summarized.
  std::vector<uint32_t> python_samples;
  std::vector<uint32_t> group;  // rows of the stages that it sums up; empty = it is one stage
  int64_t failed_tasks = 0;     // failed or killed
  int64_t wall_ns = 0;          // its part of the application's wall-clock time: WallTimeOfStages
  std::array<int64_t, kTaskMetricCount> totals{};
  int64_t cpu_samples_ns = 0;   // weight of cpu samples joined to its tasks
  int64_t wall_samples_ns = 0;  // weight of wall samples joined to its tasks
  int64_t python_wait_ns = 0;   // of wall_samples_ns: waiting for Python
  int64_t python_start_ns = 0;  // of wall_samples_ns: starting a Python worker
  int64_t engine_wait_ns = 0;   // of wall_samples_ns: waiting for a native engine
  int64_t runnable_ns = 0;      // of wall_samples_ns: on a CPU or waiting for one
  int64_t sleep_ns = 0;         // of wall_samples_ns: sleeping or waiting for anything else but the VM
  int64_t lock_ns = 0;          // waiting for a lock, by lock samples
  // Weight of the wall samples of its Python workers that are on a CPU or wait for one.
  int64_t python_runnable_ns = 0;

  int64_t Total(TaskMetric metric) const { return totals[static_cast<size_t>(metric)]; }
  Quantiles Of(TaskMetric metric) const;

  // Computes what Of() returns.
  void SetQuantiles(const Tasks& tasks);

 private:
  // Empty for stages of one task, because the total is enough and there may be a million of them. Metrics that are 0
  // are omitted.
  std::vector<std::pair<TaskMetric, Quantiles>> quantiles_;
  bool has_ended_ = false;  // a task of it
};

// One for each row of `application.stages`. `kinds` from KindsOfStacks.
std::vector<StageSummary> SummarizeStages(const Application& application, const std::vector<StackKind>& kinds);

}  // namespace sparkprof
