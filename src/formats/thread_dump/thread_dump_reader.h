// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/profile_builder.h"

namespace sparkprof {

// Thread dumps as text, any number, between any other lines: each thread of each dump is a sample. Supported are
// HotSpot (jstack, jcmd Thread.print, kill -QUIT), Python's faulthandler, which PySpark's workers use, and py-spy dump.
// HotSpot's have a time in seconds. Event "samples" has all threads, "runnable" those that a dump marks as runnable.
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
  bool in_dump_ = false;  // of HotSpot, without its end so far
  bool in_thread_ = false;
  bool is_runnable_ = false;
  bool found_any_ = false;
  int64_t time_ns_ = kNoTime;  // of the dump
  ProfileThread thread_;
  std::vector<FrameId> leaf_first_;
  EventId samples_ = 0, runnable_ = 0;  // events
};

}  // namespace sparkprof
