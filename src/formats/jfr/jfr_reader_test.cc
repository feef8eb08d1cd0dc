// SPDX-License-Identifier: Apache-2.0
#include "formats/jfr/jfr_reader.h"

#include <gtest/gtest.h>

#include <tuple>

#include "formats/jfr/jfr_chunk_header.h"
#include "formats/jfr/testing/event_recorder.h"
#include "formats/jfr/testing/example_chunk.h"

namespace sparkprof {
namespace {

using testing::AddExampleConstants;
using testing::EventRecorder;
using testing::ExampleChunk;
using testing::JfrChunkWriter;
using testing::Utf8;
using testing::Varint;
using testing::Writer;

// The writer of the chunk, and whether the fields of each type come last first.
class JfrEventsTest : public ::testing::TestWithParam<std::tuple<Writer, bool>> {
 protected:
  void SetUp() override {
    const auto [writer, reverse_fields] = GetParam();
    JfrChunkWriter::Options options{.reverse_fields = reverse_fields, .first_type_id = reverse_fields ? 300u : 20u};
    const Result<JfrChunkStatus> status = recorder_.Read(ExampleChunk(writer, options));
    ASSERT_TRUE(status) << status.error().message;
    status_ = *status;
  }

  const JfrSample& Sample(size_t index) const { return recorder_.samples.at(index); }
  std::string_view Type(size_t index) const { return recorder_.strings.Get(Sample(index).type); }

  EventRecorder recorder_;
  JfrChunkStatus status_;
};

INSTANTIATE_TEST_SUITE_P(BothWritersAndFieldOrders, JfrEventsTest,
                         ::testing::Combine(::testing::Values(Writer::kAsyncProfiler, Writer::kJdk),
                                            ::testing::Bool()));

constexpr std::string_view kJavaStack = "org.apache.spark.rdd.RDD.iterator;com.example.Job$$Lambda/0x00007f0001.apply";

TEST_P(JfrEventsTest, CountsRecordsAndThoseOfNoUse) {
  EXPECT_EQ(status_.events, 21u);
  EXPECT_EQ(status_.unknown_events, 5u);
  EXPECT_EQ(status_.damaged_events, 0u);
  EXPECT_EQ(status_.missing_stacks, 0u);
  EXPECT_EQ(status_.unread_bytes, 0u);
  EXPECT_EQ(recorder_.samples.size(), 13u);
}

TEST_P(JfrEventsTest, CpuSamplesHaveTimeThreadAndStack) {
  const JfrSample& sample = Sample(0);
  EXPECT_EQ(sample.event, Event::kCpu);
  EXPECT_EQ(sample.state, ThreadState::kRunning);
  EXPECT_EQ(sample.ticks, 2000);
  EXPECT_EQ(sample.epoch_ns, 1'700'000'000'000'001'000);
  EXPECT_EQ(sample.tid, 77);
  EXPECT_EQ(recorder_.strings.Get(sample.thread_name), "Executor task launch worker");
  EXPECT_EQ(recorder_.Stack(sample.stack), kJavaStack);
  EXPECT_EQ(sample.count, 1);
  EXPECT_EQ(sample.weight, 0);

  EXPECT_EQ(Sample(2).event, Event::kCpu);
  EXPECT_EQ(Sample(2).weight, 10'000'000);
}

TEST_P(JfrEventsTest, WallSamplesHaveTheirBatch) {
  EXPECT_EQ(Sample(1).event, Event::kWall) << "a thread in native code may run or wait";
  EXPECT_EQ(Sample(1).state, ThreadState::kUnknown);
  const JfrSample& batch = Sample(3);
  EXPECT_EQ(batch.event, Event::kWall);
  EXPECT_EQ(batch.state, ThreadState::kSleeping);
  EXPECT_EQ(batch.count, 5);
  EXPECT_EQ(batch.duration_ns, 250);
  EXPECT_EQ(batch.tid, 78);
  EXPECT_EQ(recorder_.strings.Get(batch.thread_name), "GC Thread#0");
}

TEST_P(JfrEventsTest, AllocationsHaveClassAndBytes) {
  EXPECT_EQ(Sample(4).event, Event::kAlloc);
  EXPECT_EQ(Sample(4).weight, 524288) << "the TLAB, not the object";
  EXPECT_EQ(Type(4), "byte[]");
  EXPECT_EQ(Sample(5).weight, 1 << 20);
  EXPECT_EQ(Sample(6).event, Event::kLive);
  EXPECT_EQ(Sample(6).weight, 48);
  EXPECT_EQ(Sample(6).ticks, 2007) << "when it was allocated, on the thread that did";
}

TEST_P(JfrEventsTest, LocksHaveClassDurationAndAddress) {
  EXPECT_EQ(Sample(7).event, Event::kLock);
  EXPECT_EQ(Sample(7).duration_ns, 700);
  EXPECT_EQ(Sample(7).weight, 700);
  EXPECT_EQ(Sample(7).address, 0xABCu);
  EXPECT_EQ(Type(7), "org.apache.spark.rdd.RDD");
  EXPECT_EQ(Sample(8).event, Event::kLock);
  EXPECT_EQ(Sample(8).weight, 800);
  EXPECT_EQ(Sample(8).address, 0u);
  EXPECT_EQ(Sample(9).event, Event::kNativeLock);
  EXPECT_EQ(Sample(9).weight, 900);
}

TEST_P(JfrEventsTest, NativeMemoryAndTracedMethodsAreRead) {
  EXPECT_EQ(Sample(10).event, Event::kMalloc);
  EXPECT_EQ(Sample(10).weight, 4096);
  EXPECT_EQ(Sample(11).event, Event::kFree);
  EXPECT_EQ(Sample(11).address, Sample(10).address);
  EXPECT_EQ(Sample(11).stack, 0u);
  EXPECT_EQ(Sample(12).event, Event::kMethod);
  EXPECT_EQ(Sample(12).duration_ns, 1000);
  EXPECT_EQ(Type(12), "org.apache.spark.rdd.RDD.iterator");
}

TEST_P(JfrEventsTest, OtherRecordsAreHandedOn) {
  EXPECT_EQ(recorder_.spans, (std::vector<std::string>{"77 1100 stage 3"}));
  EXPECT_EQ(recorder_.settings, (std::vector<std::string>{"jdk.ExecutionSample period=20 ms"}));
  ASSERT_EQ(recorder_.heap_summaries.size(), 1u);
  EXPECT_EQ(recorder_.heap_summaries[0].gc_id, 4);
  EXPECT_EQ(recorder_.heap_summaries[0].used_bytes, 1000);
  EXPECT_EQ(recorder_.heap_summaries[0].committed_bytes, 2000);
  EXPECT_TRUE(recorder_.heap_summaries[0].after_gc);
}

TEST_P(JfrEventsTest, FramesHaveKindLineAndLibrary) {
  const bool is_async_profiler = std::get<0>(GetParam()) == Writer::kAsyncProfiler;
  const std::vector<Frame> native = recorder_.Frames(Sample(1).stack);
  ASSERT_EQ(native.size(), 3u);
  EXPECT_EQ(recorder_.strings.Get(native[0].name), "[truncated]");
  EXPECT_EQ(native[0].kind, FrameKind::kSynthetic);
  EXPECT_EQ(native[1].kind, FrameKind::kJit) << "C1 compiled";
  EXPECT_EQ(native[1].line, 300u);
  EXPECT_EQ(native[1].file, 0u);
  EXPECT_EQ(native[2].kind, FrameKind::kNative);
  EXPECT_EQ(recorder_.strings.Get(native[2].name), is_async_profiler ? "read" : "java.lang.Object.wait");
  EXPECT_EQ(recorder_.strings.Get(native[2].file), is_async_profiler ? "libc.so.6" : "");

  const std::vector<Frame> kernel = recorder_.Frames(Sample(3).stack);
  ASSERT_EQ(kernel.size(), 2u);
  EXPECT_EQ(kernel[0].kind, FrameKind::kInlined);
  EXPECT_EQ(kernel[1].kind, is_async_profiler ? FrameKind::kKernel : FrameKind::kUnknown);
}

// A chunk of async-profiler with a jdk.ExecutionSample in each state, and two that run.
std::string ExecutionSamples(bool has_default_state, const std::string& engine) {
  JfrChunkWriter chunk;
  chunk.Type("jdk.ActiveRecording", {{"startTime", "long"}});
  chunk.Type("jdk.ActiveSetting", {{"id", "long"}, {"name", "java.lang.String"}, {"value", "java.lang.String"}});
  chunk.Type("jdk.ExecutionSample", {{"startTime", "long"}, {"state", "jdk.types.ThreadState", true}});
  chunk.Constant("jdk.types.FrameType", 5, {{"description", Utf8("Kernel")}});
  if (has_default_state) chunk.Constant("jdk.types.ThreadState", 0, {{"name", Utf8("STATE_DEFAULT")}});
  chunk.Constant("jdk.types.ThreadState", 1, {{"name", Utf8("STATE_RUNNABLE")}});
  chunk.Constant("jdk.types.ThreadState", 2, {{"name", Utf8("STATE_SLEEPING")}});
  if (!engine.empty()) {
    chunk.Event(
        "jdk.ActiveSetting",
        {{"id", Varint(chunk.TypeId("jdk.ActiveRecording"))}, {"name", Utf8("event")}, {"value", Utf8(engine)}});
  }
  for (const uint64_t state : {0, 1, 1, 2}) {
    if (state != 0 || has_default_state) chunk.Event("jdk.ExecutionSample", {{"state", Varint(state)}});
  }
  return chunk.Finish();
}

// The initials of the samples' events.
std::string EventsOf(const std::vector<std::string>& chunks) {
  EventRecorder recorder;
  for (const std::string& chunk : chunks) EXPECT_TRUE(recorder.Read(chunk));
  std::string events;
  for (const JfrSample& sample : recorder.samples) events += EventName(sample.event)[0];
  return events;
}

TEST(JfrReaderTest, RunningSamplesOfTheWallClockEngineAreWall) {
  EXPECT_EQ(EventsOf({ExecutionSamples(true, "")}), "cwww") << "async-profiler 3.x, which can record both";
  EXPECT_EQ(EventsOf({ExecutionSamples(false, "cpu")}), "ccw");
  EXPECT_EQ(EventsOf({ExecutionSamples(false, "wall"), ExecutionSamples(false, "")}), "wwwwww")
      << "async-profiler 2.x, whose settings are in the first chunk";
}

TEST(JfrReaderTest, AllocationsAreCountedOnce) {
  const auto bytes = [](bool has_tlabs) {
    JfrChunkWriter chunk;
    chunk.Type("jdk.ObjectAllocationSample", {{"startTime", "long"}, {"weight", "long"}});
    chunk.Type("jdk.ObjectAllocationInNewTLAB", {{"startTime", "long"}, {"tlabSize", "long"}});
    chunk.Event("jdk.ObjectAllocationSample", {{"weight", Varint(1000)}});
    if (has_tlabs) chunk.Event("jdk.ObjectAllocationInNewTLAB", {{"tlabSize", Varint(64)}});
    EventRecorder recorder;
    EXPECT_TRUE(recorder.Read(chunk.Finish()));
    int64_t sum = 0;
    for (const JfrSample& sample : recorder.samples) sum += sample.weight;
    return sum;
  };
  EXPECT_EQ(bytes(false), 1000);
  EXPECT_EQ(bytes(true), 64);
}

TEST(JfrReaderTest, OnlyReferencedStacksAreInterned) {
  JfrChunkWriter chunk;
  AddExampleConstants(Writer::kAsyncProfiler, &chunk);
  EventRecorder recorder;
  ASSERT_TRUE(recorder.Read(chunk.Finish()));
  EXPECT_EQ(recorder.stacks.Size(), 1u);
  EXPECT_EQ(recorder.frames.Size(), 1u);
}

TEST(JfrReaderTest, TicksOfAnyClockBecomeNanoseconds) {
  EventRecorder recorder;
  const auto status = recorder.Read(ExampleChunk(Writer::kJdk, {.start_ticks = 0, .ticks_per_second = 2'500'000'000}));
  ASSERT_TRUE(status);
  EXPECT_EQ(recorder.samples[0].ticks, 2000);
  EXPECT_EQ(recorder.samples[0].epoch_ns, 1'700'000'000'000'000'800);
  EXPECT_EQ(recorder.Find(Event::kLock)->duration_ns, 280);
  EXPECT_EQ(recorder.samples[2].weight, 10'000'000) << "annotated as nanoseconds";
}

TEST(JfrReaderTest, ConstantsOfAllCheckpointsAreFoundAndTheNewestHolds) {
  JfrChunkWriter chunk;
  chunk.Type("jdk.ExecutionSample", {{"startTime", "long"},
                                     {"sampledThread", "java.lang.Thread", true},
                                     {"stackTrace", "jdk.types.StackTrace", true}});
  AddExampleConstants(Writer::kJdk, &chunk);
  chunk.Checkpoint();
  chunk.Event("jdk.ExecutionSample", {{"sampledThread", Varint(77)}, {"stackTrace", Varint(1)}});
  chunk.StackTrace(4, {{.method = 1, .line = 5, .type = 1}});
  chunk.Checkpoint();
  chunk.Thread(77, 77, "java", "renamed");
  chunk.Event("jdk.ExecutionSample", {{"sampledThread", Varint(77)}, {"stackTrace", Varint(4)}});
  EventRecorder recorder;
  const auto status = recorder.Read(chunk.Finish());
  ASSERT_TRUE(status) << status.error().message;
  ASSERT_EQ(recorder.samples.size(), 2u);
  EXPECT_EQ(recorder.strings.Get(recorder.samples[0].thread_name), "renamed");
  EXPECT_EQ(recorder.Stack(recorder.samples[0].stack), kJavaStack);
  EXPECT_EQ(recorder.Stack(recorder.samples[1].stack), "org.apache.spark.rdd.RDD.iterator");
}

TEST(JfrReaderTest, StringsInEveryEncodingAreUtf8) {
  JfrChunkWriter chunk;
  chunk.Type("jdk.ActiveSetting", {{"name", "java.lang.String"}, {"value", "java.lang.String"}});
  chunk.ConstantText(7, Utf8("from the pool"));
  chunk.ConstantText(8, testing::ConstantString(8));
  const auto add = [&](const std::string& name, const std::string& value) {
    chunk.Event("jdk.ActiveSetting", {{"name", name}, {"value", value}});
  };
  add(testing::NullString(), testing::EmptyString());
  add(testing::ConstantString(7), testing::ConstantString(99));
  add(Utf8("z\xC3\xBCrich"), testing::Latin1("z\xFCrich"));
  add(testing::CharArray(u"z\u00FCrich \U0001F600"), testing::CharArray(u"lone \xD800"));
  add(Utf8("broken \xFF"), testing::ConstantString(8));
  EventRecorder recorder;
  ASSERT_TRUE(recorder.Read(chunk.Finish()));
  EXPECT_EQ(recorder.settings, (std::vector<std::string>{
                                   " =",
                                   " from the pool=",
                                   " z\xC3\xBCrich=z\xC3\xBCrich",
                                   " z\xC3\xBCrich \xF0\x9F\x98\x80=lone \xEF\xBF\xBD",
                                   " broken \xEF\xBF\xBD=",
                               }));
}

TEST(JfrReaderTest, AStackThatIsNotThereLeavesTheSample) {
  JfrChunkWriter chunk;
  chunk.Type("jdk.ExecutionSample", {{"stackTrace", "jdk.types.StackTrace", true}});
  chunk.Event("jdk.ExecutionSample", {{"stackTrace", Varint(4711)}});
  EventRecorder recorder;
  const auto status = recorder.Read(chunk.Finish());
  ASSERT_TRUE(status);
  EXPECT_EQ(recorder.samples.size(), 1u);
  EXPECT_EQ(status->missing_stacks, 1u);
}

TEST(JfrReaderTest, ForeignHeadersAreRefusedWithTheirPlace) {
  const std::string chunk = ExampleChunk(Writer::kAsyncProfiler);
  const auto error = [](const std::string& bytes) { return ParseJfrChunkHeader(bytes, "a.jfr", 12).error().message; };
  EXPECT_EQ(error("PK\3\4 and more"), "a.jfr: offset 12: expected a JFR chunk (magic FLR\\0), found \"PK\\x03\\x04\"");
  std::string old = chunk;
  old[5] = 1;
  EXPECT_EQ(
      error(old),
      "a.jfr: offset 12: unsupported JFR version 1.1; version 2 (JDK 8u262 and later, async-profiler) is supported");
  std::string uncompressed = chunk;
  uncompressed[67] = 0;
  EXPECT_EQ(error(uncompressed),
            "a.jfr: offset 12: uncompressed integers are unsupported; record with the default setting "
            "(compressedintegers=true)");
  std::string huge = chunk;
  huge[8] = 0x7F;
  EXPECT_NE(error(huge).find("expected 68 to 4294967295"), std::string::npos);
  std::string outside = chunk;
  outside[20] = 1;
  EXPECT_NE(error(outside).find("are outside the chunk"), std::string::npos);
}

TEST(JfrReaderTest, EachChunkIsReadByTheTypesThatItDescribes) {
  // Types and constants with other IDs and orders of fields, after equal ones.
  const std::string first = ExampleChunk(Writer::kAsyncProfiler);
  const std::string other = ExampleChunk(Writer::kAsyncProfiler, {.reverse_fields = true, .first_type_id = 300});
  EventRecorder recorder;
  for (const std::string& chunk : {first, first, other, first}) ASSERT_TRUE(recorder.Read(chunk));
  ASSERT_EQ(recorder.samples.size(), 4u * 13);
  for (size_t row = 0; row < recorder.samples.size(); ++row) {
    const JfrSample &sample = recorder.samples[row], &expected = recorder.samples[row % 13];
    EXPECT_EQ(sample.event, expected.event) << row;
    EXPECT_EQ(sample.tid, expected.tid) << row;
    EXPECT_EQ(recorder.Stack(sample.stack), recorder.Stack(expected.stack)) << row;
  }
}

}  // namespace
}  // namespace sparkprof
