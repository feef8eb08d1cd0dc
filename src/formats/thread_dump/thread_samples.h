// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/profile_builder.h"

namespace sparkprof {

// A thread of a dump, while it is read.
struct DumpedThread {
  ProfileThread thread;
  int64_t time_ns = kNoTime;
  bool is_runnable = true;    // unless the dump has another state
  bool is_truncated = false;  // the outermost frames are missing
  std::vector<FrameId> leaf_first;
};

// Adds threads of dumps as samples. Event "samples" has all threads, "runnable" those that a dump marks as runnable. A
// stack that the dump cut has the root frame "[truncated]".
class ThreadSamples {
 public:
  explicit ThreadSamples(ProfileBuilder* builder);

  // Does nothing for a thread without frames, such as those of the garbage collector.
  void Add(const DumpedThread& thread);

 private:
  ProfileBuilder* builder_;
  EventId samples_ = 0, runnable_ = 0;
};

}  // namespace sparkprof
