// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>

#include "model/sample.h"

namespace sparkprof {

// Remembers when the Python workers of each task ran and when they waited, so that a sample of the JVM, which arrives
// seconds later, learns what its worker did at that time. Times are CLOCK_MONOTONIC, ns. Not thread-safe.
class PythonActivity {
 public:
  // A thread of worker `pid` was in `state` over (from, to], for `task`. In order of time for each worker, nearly.
  void Add(int64_t task, int64_t pid, int64_t from_ns, int64_t to_ns, PythonState state);

  // kRunning when any of the task's workers ran then; kUnknown when none was sampled.
  PythonState At(int64_t task, int64_t monotonic_ns) const;

  void Forget(int64_t before_ns);

  // Spans kept for each worker of a task; the oldest go first. Neighbors in one state are one span.
  static constexpr size_t kMaxSpans = 20'000;

 private:
  struct Span {
    int64_t from_ns;
    int64_t to_ns;
    PythonState state;
  };
  using Spans = std::deque<Span>;

  std::map<std::pair<int64_t, int64_t>, Spans> workers_;  // by task and pid
};

}  // namespace sparkprof
