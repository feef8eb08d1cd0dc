// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "model/segment.h"

namespace sparkprof {

struct PythonAttachOptions {
  int64_t pid = 0;
  bool subprocesses = false;  // descendants too, those that start later included
  int64_t duration_ns = 0;    // 0 = until the process ends
  int64_t interval_ns = 0;
};

// How well it went.
struct PythonAttachReport {
  int64_t processes = 0;
  int64_t samples = 0;     // reads of a process
  int64_t late = 0;        // reads skipped because the sampler was late
  int64_t torn = 0;        // stacks that changed while they were read
  int64_t unreadable = 0;  // stacks that could not be read
};

// Samples Python from outside until the time is over, the process exits or `stop` becomes true. Returns samples of the
// events cpu and wall.
Result<Segment> SamplePython(const PythonAttachOptions& options, const volatile sig_atomic_t* stop,
                             PythonAttachReport* report);

// The options of `sparkprof attach PID --python`.
struct PythonAttachRequest {
  int64_t pid = 0;
  bool subprocesses = false;
  int64_t duration_ns = 0;
  int64_t interval_ns = 0;
  std::string event;   // "cpu" or "wall"
  bool lines = true;   // one frame per line
  std::string output;  // .svg, .sprof, else collapsed; empty = standard output
};

// Samples, writes, prints a summary and returns the exit code.
int AttachToPython(const PythonAttachRequest& request);

}  // namespace sparkprof
