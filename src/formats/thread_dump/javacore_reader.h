// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "formats/thread_dump/thread_samples.h"
#include "model/profile_builder.h"

namespace sparkprof {

// The threads of a javacore, the diagnostic file of Eclipse OpenJ9 and IBM's JVMs. Each line begins with a tag; the
// others are skipped:
//   3XMTHREADINFO      "main" J9VMThread:0x…, omrthread_t:0x…, java/lang/Thread:0x…, state:R, prio=5
//   3XMTHREADINFO1            (native thread ID:0x1E9F, native priority:0x5, …)
//   4XESTACKTRACE                at com/example/Work.fib(Work.java:12(Compiled Code))
// Format: the documentation of OpenJ9, "Java dump".
class JavacoreReader {
 public:
  explicit JavacoreReader(ProfileBuilder* builder) : builder_(builder), samples_(builder) {}

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
  bool in_thread_ = false;
  bool found_any_ = false;
  bool is_whole_ = false;  // the section of threads has ended
  DumpedThread thread_;
};

}  // namespace sparkprof
