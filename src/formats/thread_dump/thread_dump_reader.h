// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/profile_builder.h"

namespace sparkprof {

// Thread dumps as text, any number of them one after the other, other lines of a log between them: each thread of each
// dump is a sample. Read are those of HotSpot (jstack, jcmd Thread.print, kill -QUIT), of Python's faulthandler, which
// PySpark's workers use, and of py-spy dump. HotSpot's say when they were made, to the second. Event "samples" has
// every thread, "runnable" those that could run, as far as a dump says.
class ThreadDumpReader {
 public:
  explicit ThreadDumpReader(ProfileBuilder* builder);

  // Whole lines. Call again with what follows, and Finish at the end.
  Result<void> AddLines(std::string_view lines);
  Result<void> Finish();

  static bool LooksLike(std::string_view head);

 private:
  Result<void> AddLine(std::string_view line);
  bool BeginThread(std::string_view line);
  Result<void> AddFrame(std::string_view line);
  Result<void> Expect(std::string_view what);
  void EndThread();

  ProfileBuilder* builder_;
  uint64_t line_number_ = 0;
  bool in_dump_ = false;  // of HotSpot, whose end has not come yet
  bool in_thread_ = false;
  bool is_runnable_ = false;
  bool found_any_ = false;
  int64_t time_ns_ = kNoTime;  // of the dump
  ProfileThread thread_;
  std::vector<FrameId> leaf_first_;
  EventId samples_ = 0, runnable_ = 0;  // events
};

}  // namespace sparkprof
