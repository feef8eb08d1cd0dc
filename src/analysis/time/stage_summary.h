// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/selection/stack_kinds.h"
#include "model/application.h"

namespace sparkprof {

// Minimum, quartiles and maximum of one metric over the ended tasks of a stage; nearest rank, no interpolation.
struct Quantiles {
  int64_t min = 0, p25 = 0, p50 = 0, p75 = 0, max = 0;
};

Quantiles QuantilesOf(std::vector<int64_t> values);

struct StageSummary {
  std::vector<uint32_t> tasks;         // rows in order
  std::vector<uint32_t> samples;       // rows of the CPU and wall samples of its tasks
  std::vector<uint32_t> lock_samples;  // rows of the lock samples of its tasks
  // Rows of the CPU and wall samples of their Python workers, in Application::python_samples at the time of
  // summarizing.
  std::vector<uint32_t> python_samples;
  std::vector<uint32_t> group;  // rows of the merged stages; empty = a single stage
  int64_t failed_tasks = 0;     // failed or killed
  int64_t wall_ns = 0;          // its part of the application's wall-clock time: WallTimeOfStages
  std::array<int64_t, kTaskMetricCount> totals{};
  int64_t cpu_samples_ns = 0;   // weight of CPU samples joined to its tasks
  int64_t wall_samples_ns = 0;  // weight of wall samples joined to its tasks
  int64_t python_wait_ns = 0;   // part of wall_samples_ns: waiting for Python
  int64_t python_start_ns = 0;  // part of wall_samples_ns: starting a Python worker
  int64_t engine_wait_ns = 0;   // part of wall_samples_ns: waiting for a native engine
  int64_t runnable_ns = 0;      // part of wall_samples_ns: running or runnable
  int64_t sleep_ns = 0;         // part of wall_samples_ns: sleeping or waiting for anything except the VM
  int64_t lock_ns = 0;          // waiting for a lock, from lock samples
  // Weight of the wall samples of its Python workers that are running or runnable.
  int64_t python_runnable_ns = 0;

  int64_t Total(TaskMetric metric) const { return totals[static_cast<size_t>(metric)]; }
  Quantiles Of(TaskMetric metric) const;

  // Computes the results of Of().
  void SetQuantiles(const Tasks& tasks);

 private:
  // Empty for stages of one task, because the total is sufficient and there may be a million of them. Omits metrics
  // that are 0.
  std::vector<std::pair<TaskMetric, Quantiles>> quantiles_;
  bool has_ended_ = false;  // whether one of its tasks has ended
};

// Each stage's (row's) part of the application's wall-clock time, ns: a moment is divided among the stages with running
// tasks, in proportion to their number. The sum over all stages is the time in which a task ran; the rest of the
// duration is the driver's.
std::vector<int64_t> WallTimeOfStages(const Application& application);

// One per row of `application.stages`. `kinds` from KindsOfStacks.
std::vector<StageSummary> SummarizeStages(const Application& application, const std::vector<StackKind>& kinds);

// Common definition of waiting for Python: wall-clock samples of task threads in the JVM that wait for their Python
// workers.
struct PythonWait {
  int64_t wait_ns = 0;
  int64_t all_ns = 0;

  double Share() const { return all_ns <= 0 ? 0 : static_cast<double>(wait_ns) / static_cast<double>(all_ns); }
};

inline PythonWait PythonWaitOf(const StageSummary& stage) { return {stage.python_wait_ns, stage.wall_samples_ns}; }

inline PythonWait PythonWaitOf(const std::vector<StageSummary>& stages) {
  PythonWait wait;
  for (const StageSummary& stage : stages) {
    wait.wait_ns += stage.python_wait_ns;
    wait.all_ns += stage.wall_samples_ns;
  }
  return wait;
}

}  // namespace sparkprof
