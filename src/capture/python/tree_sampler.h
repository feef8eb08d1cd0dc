// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "model/segment.h"

namespace sparkprof {

struct TreeSamplerOptions {
  int64_t pid = 0;
  bool subprocesses = false;  // descendants too, those that start later included
  int64_t duration_ns = 0;    // 0 = until the process ends
  int64_t interval_ns = 0;
};

// How well it went.
struct TreeSamplerReport {
  int64_t processes = 0;
  int64_t samples = 0;     // reads of a process
  int64_t late = 0;        // reads skipped because the sampler was late
  int64_t torn = 0;        // stacks that changed while they were read
  int64_t unreadable = 0;  // stacks that could not be read
};

// The Python processes among the descendants of a process.
int64_t CountPythonDescendants(int64_t pid);

// Samples Python from outside until the time is over, the process is gone or `stop` becomes true, and returns what it
// saw: samples of the events cpu and wall.
Result<Segment> SamplePythonTree(const TreeSamplerOptions& options, const volatile sig_atomic_t* stop,
                                 TreeSamplerReport* report);

}  // namespace sparkprof
