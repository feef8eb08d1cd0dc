// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/stack_kinds.h"
#include "model/application.h"

namespace sparkprof {

// Who waits for whom in a stage that uses Python: the time of its tasks' threads in the JVM (wall samples), by what the
// thread and its Python worker did. ns; the four add up to the stage's wall time as it was sampled.
//   The JVM waits: for Python, or it sleeps for another reason.
//   Python waits: for rows from the JVM, or for anything else that is not a CPU. Where a worker was not sampled while
//   the JVM waited for it, it is taken as busy; where nothing says that there was one, as waiting.
struct StageWaits {
  int64_t stage = -1;  // id; attempts together
  int64_t jvm_busy_python_busy = 0;
  int64_t jvm_busy_python_waiting = 0;
  int64_t jvm_waiting_python_busy = 0;
  int64_t both_waiting = 0;

  int64_t Total() const {
    return jvm_busy_python_busy + jvm_busy_python_waiting + jvm_waiting_python_busy + both_waiting;
  }
};

// Stages whose tasks ran in Python workers or waited for them, by id. Of the samples as they were read, before
// ChooseLanguage. `kinds` from KindsOfStacks.
std::vector<StageWaits> WaitsOfStages(const Application& application, const std::vector<StackKind>& kinds);

// "71 % Python-bound, 20 % JVM-bound, 9 % both wait": the largest first, parts below 1 % left out.
std::string WaitsInWords(const StageWaits& waits);

}  // namespace sparkprof
