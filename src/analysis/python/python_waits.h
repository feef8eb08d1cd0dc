// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/selection/stack_kinds.h"
#include "model/application.h"

namespace sparkprof {

// Waits of a stage that uses Python: wall samples of its tasks' JVM threads by the states of the thread and of its
// Python worker, in ns. The four states add up to the stage's sampled wall time. The JVM waits for Python or for
// another reason; Python waits for rows from the JVM or for anything else except a CPU. A worker without samples counts
// as busy while the JVM waits for it; without any sign of a worker, Python counts as waiting.
struct StageWaits {
  int64_t stage = -1;  // stage ID; attempts merged
  int64_t jvm_busy_python_busy = 0;
  int64_t jvm_busy_python_waiting = 0;
  int64_t jvm_waiting_python_busy = 0;
  int64_t both_waiting = 0;
  int64_t waiting_for_python = 0;  // part of the sum: the JVM waits for Python, as PythonWaitOf

  int64_t Total() const {
    return jvm_busy_python_busy + jvm_busy_python_waiting + jvm_waiting_python_busy + both_waiting;
  }
};

// Stages whose tasks ran in Python workers or waited for them, by ID. Needs the samples before ChooseLanguage. `kinds`
// from KindsOfStacks.
std::vector<StageWaits> WaitsOfStages(const Application& application, const std::vector<StackKind>& kinds);

// "75% waiting for Python: 71% Python-bound, 20% JVM-bound, 9% both wait": the four states, largest first, without
// parts below 1%.
std::string WaitsInWords(const StageWaits& waits);

}  // namespace sparkprof
