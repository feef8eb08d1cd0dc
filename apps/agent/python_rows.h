// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "join/python_phase.h"
#include "segment_writer.h"

namespace sparkprof {

// Samples of Python processes that wait to be written, with what tells their stacks apart.
struct PythonBatch {
  SampleBatch samples;
  PythonPhases phases{&samples.strings, &samples.frames, &samples.stacks};
  int64_t oldest_ns = 0;  // CLOCK_MONOTONIC of the first sample; 0 = none
};

// Whether a thread that got `cpu_ns` in `wall_ns` ran, or would have on a machine that has a CPU for it: who holds the
// GIL does not wait for anything else. Without it and with little CPU a thread waits; one that reads rows wakes up
// often, for a moment each.
ThreadState StateOfPython(int64_t cpu_ns, int64_t wall_ns, bool holds_gil, PythonPhase phase);

// Adds `row` as it is (stack, thread, task, state, …) to the samples, for each of
//   wall  with weight wall_ns
//   cpu   with weight cpu_ns; running
void AddPythonRows(SegmentSample row, int64_t cpu_ns, int64_t wall_ns, SampleTable<SegmentSample>* samples);

// "Python 4711" or "Python 4711 thread": a thread without a name that people know.
std::string PythonThreadName(int64_t pid, int64_t tid);

}  // namespace sparkprof
