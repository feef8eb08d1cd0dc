// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>

#include "model/samples/profile_builder.h"

namespace sparkprof {

// Calls of one thread: events with a begin and an end, in any order. A call weighs its own time, in ns: while it is the
// innermost one that is open. Of calls that begin together, the longest contains the others.
//
// An end closes the innermost open call of its name, with all that is open in it; without a name, the innermost one. Of
// the ends of one time, those of calls that are open come first. An end of no open call is left out, and a call without
// an end is open up to the end of its caller, or to the thread's last event.
class TraceCalls {
 public:
  // Calls are matched by frame, or by name where the frames differ.
  void Begin(int64_t time_ns, FrameId frame) { Mark(time_ns, kBegin, frame); }
  void End(int64_t time_ns, FrameId frame) { Mark(time_ns, kEnd, frame); }  // 0 = without a name
  void Call(int64_t time_ns, int64_t duration_ns, FrameId frame) {
    calls_.push_back({time_ns, duration_ns, frame, order_++});
  }

  // Adds the samples, with the event and the thread of `sample`. Call once.
  void Finish(Sample sample, ProfileBuilder* builder);

  uint64_t UnmatchedEnds() const { return unmatched_ends_; }
  uint64_t OpenCalls() const { return open_calls_; }  // without an end

 private:
  static constexpr int64_t kBegin = -1, kEnd = -2;  // instead of a duration

  struct Event {
    int64_t time_ns;
    int64_t duration_ns;
    FrameId frame;
    uint32_t order;  // in the input

    int64_t EndNs() const;
  };
  class Matcher;

  void Mark(int64_t time_ns, int64_t kind, FrameId frame) { marks_.push_back({time_ns, kind, frame, order_++}); }
  void MatchMarks(ProfileBuilder* builder);

  // Not vectors: while a large one grows, it needs three times its memory.
  std::deque<Event> marks_, calls_;
  uint32_t order_ = 0;
  uint64_t unmatched_ends_ = 0;
  uint64_t open_calls_ = 0;
};

}  // namespace sparkprof
