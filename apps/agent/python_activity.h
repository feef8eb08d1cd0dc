// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>

#include "model/samples/sample.h"

namespace sparkprof {

// Tracks when the Python workers of each task were running or waiting, to look up the state for a JVM sample that
// arrives seconds later. Times are CLOCK_MONOTONIC, ns. Not thread-safe.
class PythonActivity {
 public:
  // A thread of worker `pid` was in `state` during (from, to], for `task`. Calls should be approximately in order of
  // time per worker.
  void Add(int64_t task, int64_t pid, int64_t from_ns, int64_t to_ns, PythonState state);

  // kRunning if any of the task's workers was running; kUnknown if none was sampled.
  PythonState At(int64_t task, int64_t monotonic_ns) const;

  void Forget(int64_t before_ns);

  // Maximum number of spans per worker of a task; the oldest are dropped. Adjacent spans with one state are merged.
  static constexpr size_t kMaxSpans = 20'000;

 private:
  struct Span {
    int64_t from_ns;
    int64_t to_ns;
    PythonState state;
  };
  using Spans = std::deque<Span>;

  std::map<std::pair<int64_t, int64_t>, Spans> workers_;  // by task and PID
};

}  // namespace sparkprof
