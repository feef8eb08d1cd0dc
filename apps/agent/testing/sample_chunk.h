// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "formats/jfr/testing/jfr_chunk_writer.h"

namespace sparkprof {

// A chunk of samples on the clock of the tasks (ticks = CLOCK_MONOTONIC in ns). Stack 1 is in TaskRunner.run, stack 2
// is not; class 3 is byte[], class 4 java.lang.Object; threads 77 to 79.
class SampleChunk {
 public:
  explicit SampleChunk(int64_t start_ticks = 0) : chunk_({.start_ticks = start_ticks}) {
    using testing::Utf8;
    using testing::WrittenField;
    const WrittenField start{"startTime", "long"};
    const WrittenField duration{"duration", "long", false, false, "TICKS"};
    const WrittenField sampled{"sampledThread", "java.lang.Thread", true};
    const WrittenField thread{"eventThread", "java.lang.Thread", true};
    const WrittenField stack{"stackTrace", "jdk.types.StackTrace", true};
    const WrittenField state{"state", "jdk.types.ThreadState", true};
    chunk_.Type("jdk.ExecutionSample", {start, sampled, stack, state});
    chunk_.Type("profiler.WallClockSample",
                {start, sampled, stack, state, {"samples", "int"}, {"timeSpan", "long", false, false, "TICKS"}});
    chunk_.Type("jdk.ObjectAllocationInNewTLAB", {start,
                                                  thread,
                                                  stack,
                                                  {"objectClass", "java.lang.Class", true},
                                                  {"allocationSize", "long"},
                                                  {"tlabSize", "long"}});
    chunk_.Type("jdk.JavaMonitorEnter",
                {start, duration, thread, stack, {"monitorClass", "java.lang.Class", true}, {"address", "long"}});
    chunk_.Type("profiler.Malloc", {start, thread, stack, {"address", "long"}, {"size", "long"}});
    chunk_.Type("profiler.Free", {start, thread, {"address", "long"}});
    const char* kinds[] = {"Interpreted", "JIT compiled", "Inlined", "Native", "C++", "Kernel", "C1 compiled"};
    for (uint64_t i = 0; i < 7; ++i) chunk_.Constant("jdk.types.FrameType", i, {{"description", Utf8(kinds[i])}});
    chunk_.Constant("jdk.types.ThreadState", 1, {{"name", Utf8("STATE_RUNNABLE")}});
    chunk_.Constant("jdk.types.ThreadState", 2, {{"name", Utf8("STATE_SLEEPING")}});
    chunk_.Thread(77, 77, "java", "Executor task launch worker");
    chunk_.Thread(78, 78, "java", "main");
    chunk_.Thread(79, 79, "java", "stdout writer for python3 (TID 9)");
    chunk_.Symbol(1, "org/apache/spark/executor/Executor$TaskRunner");
    chunk_.Symbol(2, "run");
    chunk_.Symbol(3, "[B");
    chunk_.Symbol(4, "java/lang/Object");
    chunk_.Symbol(5, "com/example/Job");
    chunk_.Symbol(6, "burn");
    chunk_.Class(1, 1);
    chunk_.Class(3, 3);
    chunk_.Class(4, 4);
    chunk_.Class(5, 5);
    chunk_.Method(1, 1, 2);
    chunk_.Method(2, 5, 6);
    chunk_.StackTrace(1, {{.method = 2, .type = 1}, {.method = 1, .type = 1}});
    chunk_.StackTrace(2, {{.method = 2, .type = 1}});
  }

  SampleChunk& Cpu(int64_t ticks, uint64_t thread, uint64_t stack = 1) {
    return Add("jdk.ExecutionSample", ticks,
               {{"sampledThread", Number(thread)}, {"stackTrace", Number(stack)}, {"state", Number(1)}});
  }
  SampleChunk& Wall(int64_t ticks, uint64_t thread, uint64_t samples, int64_t span, uint64_t stack = 1) {
    return Add("profiler.WallClockSample", ticks,
               {{"sampledThread", Number(thread)},
                {"stackTrace", Number(stack)},
                {"state", Number(2)},
                {"samples", Number(samples)},
                {"timeSpan", Number(static_cast<uint64_t>(span))}});
  }
  SampleChunk& Allocation(int64_t ticks, uint64_t thread, uint64_t bytes) {
    return Add("jdk.ObjectAllocationInNewTLAB", ticks,
               {{"eventThread", Number(thread)},
                {"stackTrace", Number(1)},
                {"objectClass", Number(3)},
                {"allocationSize", Number(24)},
                {"tlabSize", Number(bytes)}});
  }
  SampleChunk& NativeAllocation(int64_t ticks, uint64_t thread, uint64_t bytes, uint64_t address = 8) {
    return Add("profiler.Malloc", ticks,
               {{"eventThread", Number(thread)},
                {"stackTrace", Number(1)},
                {"address", Number(address)},
                {"size", Number(bytes)}});
  }
  SampleChunk& NativeRelease(int64_t ticks, uint64_t thread, uint64_t address = 8) {
    return Add("profiler.Free", ticks, {{"eventThread", Number(thread)}, {"address", Number(address)}});
  }
  SampleChunk& Lock(int64_t ticks, uint64_t thread, int64_t duration) {
    return Add("jdk.JavaMonitorEnter", ticks,
               {{"duration", Number(static_cast<uint64_t>(duration))},
                {"eventThread", Number(thread)},
                {"stackTrace", Number(1)},
                {"monitorClass", Number(4)}});
  }

  std::string Finish() { return chunk_.Finish(); }

 private:
  static std::string Number(uint64_t value) { return testing::Varint(value); }

  SampleChunk& Add(const std::string& type, int64_t ticks, testing::JfrChunkWriter::Record record) {
    record["startTime"] = Number(static_cast<uint64_t>(ticks));
    chunk_.Event(type, record);
    return *this;
  }

  testing::JfrChunkWriter chunk_;
};

}  // namespace sparkprof
