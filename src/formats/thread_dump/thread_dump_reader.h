// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "formats/thread_dump/thread_samples.h"
#include "model/profile_builder.h"

namespace sparkprof {

// Thread dumps as text, any number, between any other lines: each thread of each dump is a sample. Supported are
// - HotSpot: jstack, jcmd Thread.print, kill -QUIT; VisualVM; ThreadInfo.toString() of JMX
// - jcmd Thread.dump_to_file, with virtual threads
// - the serviceability agent: jhsdb jstack, also --mixed; jstack -F and -m of JDK 8
// - Python's faulthandler, which PySpark's workers use, py-spy dump, and Python 3.15's profiling.sampling dump.
// Dumps of Java have times. A dump may end anywhere.
class ThreadDumpReader {
 public:
  explicit ThreadDumpReader(ProfileBuilder* builder) : builder_(builder), samples_(builder) {}

  // Whole lines. Call again with what follows, and Finish at the end.
  Result<void> AddLines(std::string_view lines);
  Result<void> Finish();

  static bool LooksLike(std::string_view head);

 private:
  enum class Syntax : uint8_t { kJava, kDumpToFile, kPython, kStackDump };

  Result<void> AddLine(std::string_view line);
  // True if `line` begins a thread.
  bool BeginThread(std::string_view line);
  void BeginJavaThread(std::string_view line);
  void BeginDumpToFileThread(std::string_view line);
  void BeginFaultHandlerThread(std::string_view line);
  void BeginPySpyThread(std::string_view line);
  void BeginStackDumpThread(std::string_view line);
  void BeginMountedThread(std::string_view text);
  Result<void> AddFrame(std::string_view line);
  Result<void> AddJavaFrame(std::string_view text);
  Result<void> AddPythonFrame(std::string_view line);
  bool AddFileFrame(std::string_view text);
  void AddPySpyFrame(std::string_view text);
  void Push(const Frame& frame);
  Result<void> Expect(std::string_view what);
  void EndThread();

  ProfileBuilder* builder_;
  ThreadSamples samples_;
  uint64_t line_number_ = 0;
  bool in_thread_ = false;
  bool found_any_ = false;
  Syntax syntax_ = Syntax::kJava;
  int64_t time_ns_ = kNoTime;  // of the dump
  int64_t process_ = 0;        // of the dump, if it names one
  bool has_new_time_ = false;  // printed since the last dump began
  DumpedThread thread_;
};

}  // namespace sparkprof
