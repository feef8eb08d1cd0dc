// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "model/segment/segment.h"

namespace sparkprof {

struct TreeSamplerOptions {
  int64_t pid = 0;
  bool subprocesses = false;  // also samples descendants, including those that start later
  int64_t duration_ns = 0;    // 0 = until the process ends
  int64_t interval_ns = 0;
};

struct TreeSamplerReport {
  int64_t processes = 0;
  int64_t samples = 0;     // number of reads of a process
  int64_t late = 0;        // reads skipped because the sampler was late
  int64_t torn = 0;        // stacks that changed while they were read
  int64_t unreadable = 0;  // stacks that could not be read
};

// Number of Python processes among the descendants of a process.
int64_t CountPythonDescendants(int64_t pid);

// Samples Python from outside until the time is over, the process ends or `stop` becomes true. Returns samples of the
// events cpu and wall.
Result<Segment> SamplePythonTree(const TreeSamplerOptions& options, const volatile sig_atomic_t* stop,
                                 TreeSamplerReport* report);

}  // namespace sparkprof
