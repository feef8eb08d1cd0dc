// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "join/python_phase.h"
#include "segment_writer.h"

namespace sparkprof {

// Samples of Python processes to be written, with the keys of their stacks.
struct PythonBatch {
  SampleBatch samples;
  PythonPhases phases{&samples.strings, &samples.frames, &samples.stacks};
  int64_t oldest_ns = 0;  // CLOCK_MONOTONIC of the first sample; 0 = none
};

// Estimates a thread's state from the CPU time used in `wall_ns`, for samples without a recorded state. A thread that
// holds the GIL waits only for a CPU. A thread without the GIL and with little CPU time is waiting; one that reads rows
// wakes up often and briefly.
ThreadState StateOfPython(int64_t cpu_ns, int64_t wall_ns, bool holds_gil, PythonPhase phase);

// Adds `row` (stack, thread, task, state, …) once per event:
//     wall  with weight wall_ns
//     cpu   with weight cpu_ns; running
void AddPythonRows(SegmentSample row, int64_t cpu_ns, int64_t wall_ns, SampleTable<SegmentSample>* samples);

// Name for an unnamed thread: "Python 4711" or "Python 4711 thread".
std::string PythonThreadName(int64_t pid, int64_t tid);

}  // namespace sparkprof
