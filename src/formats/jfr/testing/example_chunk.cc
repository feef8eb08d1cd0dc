// SPDX-License-Identifier: Apache-2.0
#include "formats/jfr/testing/example_chunk.h"

namespace sparkprof::testing {
namespace {

const WrittenField kStartTime{"startTime", "long"};
const WrittenField kDuration{"duration", "long", false, false, "TICKS"};
const WrittenField kThread{"eventThread", "java.lang.Thread", true};
const WrittenField kStackTrace{"stackTrace", "jdk.types.StackTrace", true};
const WrittenField kState{"state", "jdk.types.ThreadState", true};
const WrittenField kObjectClass{"objectClass", "java.lang.Class", true};

WrittenField Long(const std::string& name) { return {name, "long"}; }

void AddTypes(JfrChunkWriter* chunk) {
  chunk->Type("jdk.types.GCWhen", {{"when", "java.lang.String"}});
  chunk->Type("jdk.types.VirtualSpace", {Long("start"), Long("committedSize"), Long("reservedSize")});
  chunk->Type("profiler.types.UserEventType", {{"name", "java.lang.String"}});
  chunk->Type("jdk.ExecutionSample", {kStartTime, {"sampledThread", "java.lang.Thread", true}, kStackTrace, kState});
  chunk->Type("jdk.NativeMethodSample", {kStartTime, {"sampledThread", "java.lang.Thread", true}, kStackTrace, kState});
  chunk->Type("jdk.CPUTimeSample", {kStartTime,
                                    kStackTrace,
                                    kThread,
                                    {"failed", "boolean"},
                                    {"samplingPeriod", "long", false, false, "NANOSECONDS"},
                                    {"biased", "boolean"}});
  chunk->Type("profiler.WallClockSample", {kStartTime,
                                           {"sampledThread", "java.lang.Thread", true},
                                           kStackTrace,
                                           kState,
                                           {"samples", "int"},
                                           {"timeSpan", "long", false, false, "TICKS"}});
  chunk->Type("jdk.ObjectAllocationInNewTLAB",
              {kStartTime, kThread, kStackTrace, kObjectClass, Long("allocationSize"), Long("tlabSize")});
  chunk->Type("jdk.ObjectAllocationOutsideTLAB",
              {kStartTime, kThread, kStackTrace, kObjectClass, Long("allocationSize")});
  chunk->Type("jdk.ObjectAllocationSample", {kStartTime, kThread, kStackTrace, kObjectClass, Long("weight")});
  chunk->Type("profiler.LiveObject",
              {kStartTime, kThread, kStackTrace, kObjectClass, Long("allocationSize"), Long("allocationTime")});
  chunk->Type(
      "jdk.JavaMonitorEnter",
      {kStartTime, kDuration, kThread, kStackTrace, {"monitorClass", "java.lang.Class", true}, Long("address")});
  chunk->Type("jdk.ThreadPark",
              {kStartTime, kDuration, kThread, kStackTrace, {"parkedClass", "java.lang.Class", true}, Long("address")});
  chunk->Type("profiler.NativeLock", {kStartTime, kDuration, kThread, kStackTrace, Long("address")});
  chunk->Type("profiler.Malloc", {kStartTime, kThread, kStackTrace, Long("address"), Long("size")});
  chunk->Type("profiler.Free", {kStartTime, kThread, kStackTrace, Long("address")});
  chunk->Type("jdk.MethodTrace", {kStartTime, kDuration, kThread, kStackTrace, {"method", "jdk.types.Method", true}});
  chunk->Type("profiler.Span", {kStartTime, kDuration, kThread, {"tag", "java.lang.String", true}});
  chunk->Type("profiler.UserEvent",
              {kStartTime, kThread, {"type", "profiler.types.UserEventType", true}, {"data", "java.lang.String"}});
  chunk->Type("jdk.ObjectCount", {kStartTime, {"gcId", "int"}, kObjectClass, Long("count"), Long("totalSize")});
  chunk->Type("jdk.GCHeapSummary", {kStartTime,
                                    {"gcId", "int"},
                                    {"when", "jdk.types.GCWhen", true},
                                    {"heapSpace", "jdk.types.VirtualSpace"},
                                    Long("heapUsed")});
  chunk->Type("jdk.CPULoad", {kStartTime, {"jvmUser", "float"}, {"jvmSystem", "float"}, {"machineTotal", "float"}});
  chunk->Type("jdk.ActiveSetting",
              {kStartTime, Long("id"), {"name", "java.lang.String"}, {"value", "java.lang.String"}});
  chunk->Type("jdk.Unused", {kStartTime, {"texts", "java.lang.String", false, true}});
}

}  // namespace

void AddExampleConstants(Writer writer, JfrChunkWriter* chunk) {
  const bool is_async_profiler = writer == Writer::kAsyncProfiler;
  const char* kinds[] = {"Interpreted", "JIT compiled", "Inlined", "Native", "C++", "Kernel", "C1 compiled"};
  for (uint64_t i = 0; i < std::size(kinds); ++i) {
    if (i == 5 && !is_async_profiler) continue;
    chunk->Constant("jdk.types.FrameType", i, {{"description", Utf8(kinds[i])}});
  }
  chunk->Constant("jdk.types.ThreadState", 0, {{"name", Utf8("STATE_DEFAULT")}});
  chunk->Constant("jdk.types.ThreadState", 1, {{"name", Utf8("STATE_RUNNABLE")}});
  chunk->Constant("jdk.types.ThreadState", 2, {{"name", Utf8("STATE_SLEEPING")}});
  chunk->Thread(77, 77, "java", "Executor task launch worker");
  chunk->Thread(78, 78, "GC Thread#0", "");

  chunk->Symbol(1, "org/apache/spark/rdd/RDD");
  chunk->Symbol(2, "iterator");
  chunk->Symbol(3, is_async_profiler ? "libc.so.6" : "java/lang/Object");
  chunk->Symbol(4, is_async_profiler ? "read" : "wait");
  chunk->Symbol(5, "[B");
  chunk->Symbol(6, "com/example/Job$$Lambda/0x00007f0001");
  chunk->Symbol(7, "apply");
  chunk->Symbol(8, "kernel");
  chunk->Class(1, 1);
  chunk->Class(2, 3);
  chunk->Class(3, 5);
  chunk->Class(4, 6);
  chunk->Class(5, 8);
  chunk->Method(1, 1, 2);
  chunk->Method(2, 2, 4);
  chunk->Method(3, 4, 7);
  chunk->Method(4, 5, 7);
  chunk->StackTrace(1, {{.method = 3, .line = 12, .type = 1}, {.method = 1, .line = 300, .type = 0}});
  chunk->StackTrace(2, {{.method = 2, .line = 0, .type = 3}, {.method = 1, .line = 300, .type = 6}}, true);
  chunk->StackTrace(3, {{.method = 4, .type = 5}, {.method = 1, .type = 2}});
}

std::string ExampleChunk(Writer writer, JfrChunkWriter::Options options) {
  JfrChunkWriter chunk(options);
  AddTypes(&chunk);
  AddExampleConstants(writer, &chunk);
  chunk.Constant("jdk.types.GCWhen", 1, {{"when", Utf8("After GC")}});
  chunk.Constant("profiler.types.UserEventType", 1, {{"name", Utf8("begin")}});
  chunk.ConstantText(9, Utf8("stage 3"));

  const auto at = [](uint64_t ticks) { return std::pair<const std::string, std::string>("startTime", Varint(ticks)); };
  const auto number = [](const char* name, uint64_t value) {
    return std::pair<const std::string, std::string>(name, Varint(value));
  };
  const auto java = number("eventThread", 77);
  const auto stack = number("stackTrace", 1);
  const auto object_class = number("objectClass", 3);
  // STATE_DEFAULT marks CPU samples of async-profiler.
  const uint64_t cpu_state = writer == Writer::kAsyncProfiler ? 0 : 1;
  chunk.Event("jdk.ExecutionSample", {at(2000), number("sampledThread", 77), stack, number("state", cpu_state)});
  chunk.Event("jdk.NativeMethodSample",
              {at(2001), number("sampledThread", 77), number("stackTrace", 2), number("state", 1)});
  chunk.Event("jdk.CPUTimeSample", {at(2002), java, stack, number("samplingPeriod", 10'000'000)});
  chunk.Event("profiler.WallClockSample", {at(2003), number("sampledThread", 78), number("stackTrace", 3),
                                           number("state", 2), number("samples", 5), number("timeSpan", 250)});
  chunk.Event("jdk.ObjectAllocationInNewTLAB",
              {at(2004), java, stack, object_class, number("allocationSize", 24), number("tlabSize", 524288)});
  chunk.Event("jdk.ObjectAllocationOutsideTLAB",
              {at(2005), java, stack, object_class, number("allocationSize", 1 << 20)});
  chunk.Event("jdk.ObjectAllocationSample", {at(2006), java, stack, object_class, number("weight", 4096)});
  chunk.Event("profiler.LiveObject",
              {at(9000), java, stack, object_class, number("allocationSize", 48), number("allocationTime", 2007)});
  chunk.Event("jdk.JavaMonitorEnter",
              {at(2008), number("duration", 700), java, stack, number("monitorClass", 1), number("address", 0xABC)});
  chunk.Event("jdk.ThreadPark", {at(2009), number("duration", 800), java, stack, number("parkedClass", 2)});
  chunk.Event("profiler.NativeLock", {at(2010), number("duration", 900), java, stack, number("address", 0xDEF)});
  chunk.Event("profiler.Malloc", {at(2011), java, stack, number("address", 0x123), number("size", 4096)});
  chunk.Event("profiler.Free", {at(2012), java, number("address", 0x123)});
  chunk.Event("jdk.MethodTrace", {at(2013), number("duration", 1000), java, stack, number("method", 1)});
  chunk.Event("profiler.Span", {at(2014), number("duration", 1100), java, number("tag", 9)});
  chunk.Event("profiler.UserEvent", {at(2015), java, number("type", 1), {"data", Latin1("t\xE4sk 7")}});
  chunk.Event("jdk.ObjectCount", {at(2016), object_class, number("count", 3), number("totalSize", 72)});
  chunk.Event("jdk.GCHeapSummary", {at(2017),
                                    number("gcId", 4),
                                    number("when", 1),
                                    number("heapUsed", 1000),
                                    {"heapSpace", Varint(1) + Varint(2000) + Varint(4)}});
  chunk.Event(
      "jdk.CPULoad",
      {at(2018), {"jvmUser", FloatBits(0.5f)}, {"jvmSystem", FloatBits(0.25f)}, {"machineTotal", FloatBits(0.875f)}});
  chunk.Event("jdk.ActiveSetting", {at(2019),
                                    number("id", chunk.TypeId("jdk.ExecutionSample")),
                                    {"name", CharArray(u"period")},
                                    {"value", Utf8("20 ms")}});
  chunk.Event("jdk.Unused", {at(2020), {"texts", Varint(2) + Utf8("a") + NullString()}});
  return chunk.Finish();
}

}  // namespace sparkprof::testing
