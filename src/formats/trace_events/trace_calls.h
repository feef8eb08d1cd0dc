// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/profile_builder.h"

namespace sparkprof {

// Calls of one thread: events with a begin and an end, in any order. A call weighs its own time, in ns: while it is the
// innermost one that is open. An end that does not belong to the innermost call is left out, as in speedscope.
class TraceCalls {
 public:
  // The callee of an event: ends are matched by frame, or by name where the frames differ.
  struct Callee {
    FrameId frame = 0;
    StringId name = 0;
  };

  void Begin(int64_t time_ns, Callee callee) { begins_.push_back({time_ns, callee}); }
  void End(int64_t time_ns, Callee callee) { ends_.push_back({time_ns, callee}); }
  void Call(int64_t time_ns, int64_t duration_ns, Callee callee) { calls_.push_back({time_ns, duration_ns, callee}); }

  // Adds the samples, with the event and the thread of `sample`. Call once.
  void Finish(Sample sample, ProfileBuilder* builder);

  uint64_t UnmatchedEnds() const { return unmatched_ends_; }
  uint64_t OpenCalls() const { return open_calls_; }

 private:
  struct Mark {
    int64_t time_ns;
    Callee callee;
  };
  struct WholeCall {
    int64_t time_ns;
    int64_t duration_ns;
    Callee callee;
  };

  void SplitCalls();

  std::vector<Mark> begins_, ends_;
  std::vector<WholeCall> calls_;
  uint64_t unmatched_ends_ = 0;
  uint64_t open_calls_ = 0;  // at the end
};

}  // namespace sparkprof
