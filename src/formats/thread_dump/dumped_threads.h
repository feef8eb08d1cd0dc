// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "formats/readers.h"
#include "model/samples/profile_builder.h"

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

// The complete text as a time of thread dumps: HotSpot's "2026-11-21 13:00:00", read as UTC because it has no zone, or
// "2026-11-21T13:00:00.123456789Z". nullopt if it is something else.
std::optional<int64_t> ParseDumpTime(std::string_view text);

// The number at the start of `text`; 0 without one.
uint32_t LineNumberAt(std::string_view text);

// Frames of Java as thread dumps print them, without loader, module and arguments. nullopt for other texts.

// Frames of StackTraceElement and HotSpot: "java.base/java.lang.Thread.run(Thread.java:840)",
// "java.lang.Thread.run(java.base@17.0.15/Thread.java:840)".
std::optional<Frame> ParseJavaFrame(std::string_view text, StringTable* strings);

// Frames of the serviceability agent (jhsdb jstack, jstack -F): "V.burn(int) @bci=21, line=7 (Compiled frame; …)", with
// --mixed "V.burn(int) bci:21 line:7 (Interpreted frame)".
std::optional<Frame> ParseAgentFrame(std::string_view text, StringTable* strings);

// Frames of the serviceability agent with --mixed: "JavaThread::run() + 0xa5", "????????", "<Unknown compiled code>",
// "* V.burn() bci:21 line:7 (Interpreted frame)".
Frame ParseMixedFrame(std::string_view text, StringTable* strings);

// The kinds of dumps among which ReadThreadDump selects.
FormatReader ReadGdbStacks, ReadJavacore, ReadThreadDumpJson, ReadThreadDumpText;
FormatTest LooksLikeGdbStacks, LooksLikeJavacore, LooksLikeThreadDumpJson, LooksLikeThreadDumpText;

}  // namespace sparkprof
