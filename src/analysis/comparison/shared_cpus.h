// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// Models the CPUs that tasks share with the rest of their JVM in local mode: compiler, collector and driver. While a
// short job warms up, the compiler alone takes a CPU, and tasks wait for one. With fewer concurrent tasks they wait
// less, with more they wait longer.
class SharedCpus {
 public:
  explicit SharedCpus(const Application& application);

  struct Load {
    size_t stage = 0;  // row of Application::stages
    int64_t begin_ns = 0, end_ns = 0;
    int64_t tasks_ns = 0;  // sum of its tasks' durations
    size_t tasks = 0;
  };

  // Factor by which the durations of the stage's tasks change with `cores` concurrent tasks. 1 for applications that do
  // not run in local mode, or without recorded CPUs or CPU samples.
  double Factor(const Load& load, int64_t cores) const;

 private:
  // CPU time other than that of tasks, per ns, between two times.
  double Background(int64_t begin_ns, int64_t end_ns) const;

  double cpus_ = 0;  // 0 = unknown
  int64_t start_ns_ = 0;
  std::vector<int64_t> background_ns_;    // CPU time other than that of tasks, per second since start_ns_
  std::vector<int64_t> cpu_of_stage_ns_;  // CPU time of tasks and their Python workers
};

}  // namespace sparkprof
