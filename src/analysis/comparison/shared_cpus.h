// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// The CPUs that tasks share with the rest of their JVM in local mode: its compiler, its collector and the driver. While
// a short job warms up, the compiler alone takes a CPU, and tasks wait for one. With fewer tasks at once they wait
// less, with more they wait longer.
class SharedCpus {
 public:
  explicit SharedCpus(const Application& application);

  // A stage as it ran.
  struct Load {
    size_t stage = 0;  // row
    int64_t begin_ns = 0, end_ns = 0;
    int64_t tasks_ns = 0;  // durations of its tasks together
    size_t tasks = 0;
  };

  // By what the durations of the stage's tasks change if `cores` run tasks at once. 1 for applications that do not run
  // in local mode, or whose CPUs or CPU samples were not recorded.
  double Factor(const Load& load, int64_t cores) const;

 private:
  // CPU time beside the tasks per ns between two times.
  double Background(int64_t begin_ns, int64_t end_ns) const;

  double cpus_ = 0;  // 0 = not known
  int64_t start_ns_ = 0;
  std::vector<int64_t> background_ns_;    // CPU time beside the tasks in each second since start_ns_
  std::vector<int64_t> cpu_of_stage_ns_;  // of tasks and their Python workers
};

}  // namespace sparkprof
