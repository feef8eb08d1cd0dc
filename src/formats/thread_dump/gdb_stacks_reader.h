// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "formats/thread_dump/thread_samples.h"
#include "model/profile_builder.h"

namespace sparkprof {

// Native stacks of threads as gdb's "thread apply all bt", and pstack and gstack, which run it, print them:
//   Thread 2 (Thread 0x7f3c11aea700 (LWP 2345) "worker"):
//   #0  0x00007f3c1f2e0a35 in pthread_cond_wait () from /lib64/libpthread.so.0
//   #1  work (n=3) at work.c:12
// A process with one thread may have no line for it. gdb does not print whether threads ran.
class GdbStacksReader {
 public:
  explicit GdbStacksReader(ProfileBuilder* builder) : builder_(builder), samples_(builder) {}

  // Whole lines. Call again with what follows, and Finish at the end.
  Result<void> AddLines(std::string_view lines);
  Result<void> Finish();

  static bool LooksLike(std::string_view head);

 private:
  Result<void> AddLine(std::string_view line);
  void EndThread();

  ProfileBuilder* builder_;
  ThreadSamples samples_;
  uint64_t line_number_ = 0;
  bool found_any_ = false;
  DumpedThread thread_{.is_runnable = false};
};

}  // namespace sparkprof
