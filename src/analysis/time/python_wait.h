// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/time/stage_summary.h"

namespace sparkprof {

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
