// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "formats/jfr/testing/jfr_chunk_writer.h"
#include "formats/testing/read_profile.h"

namespace sparkprof::testing {
namespace {

using Stacks = std::map<std::string, int64_t>;

// A chunk whose times begin at 0, with threads 77 and 78 and the stacks 1 to 4: "a", "b", "c", "d".
class Recording {
 public:
  Recording() : chunk_(Options()) {
    const WrittenField start{"startTime", "long"}, duration{"duration", "long"},
        thread{"eventThread", "java.lang.Thread", true}, trace{"stackTrace", "jdk.types.StackTrace", true};
    chunk_.Type("profiler.Malloc", {start, thread, trace, {"address", "long"}, {"size", "long"}});
    chunk_.Type("profiler.Free", {start, thread, trace, {"address", "long"}});
    chunk_.Type("jdk.ExecutionSample", {start, {"sampledThread", "java.lang.Thread", true}, trace});
    chunk_.Type("jdk.CPUTimeSample", {start, thread, trace, {"samplingPeriod", "long"}});
    chunk_.Type("profiler.Span", {start, duration, thread, {"tag", "java.lang.String", true}});
    chunk_.Type("jdk.MethodTrace", {start, duration, thread, trace, {"method", "jdk.types.Method", true}});
    chunk_.Type("jdk.ObjectAllocationSample",
                {start, thread, trace, {"objectClass", "java.lang.Class", true}, {"weight", "long"}});
    chunk_.Type("profiler.WallClockSample",
                {start, {"sampledThread", "java.lang.Thread", true}, trace, {"samples", "int"}});
    chunk_.Type("jdk.ActiveSetting", {start, {"name", "java.lang.String"}, {"value", "java.lang.String"}});
    chunk_.Symbol(10, "");
    chunk_.Class(1, 10);
    chunk_.Symbol(11, "com/example/Row");
    chunk_.Class(2, 11);
    for (uint64_t i = 1; i <= 4; ++i) {
      chunk_.Symbol(i, std::string(1, static_cast<char>('a' + i - 1)));
      chunk_.Method(i, 1, i);
      chunk_.StackTrace(i, {{.method = i}});
    }
    chunk_.Thread(1, 77, "one", "one");
    chunk_.Thread(2, 78, "two", "two");
  }

  Recording& Malloc(uint64_t time, uint64_t stack, uint64_t address, uint64_t size) {
    chunk_.Event("profiler.Malloc", {{"startTime", Varint(time)},
                                     {"eventThread", Varint(1)},
                                     {"stackTrace", Varint(stack)},
                                     {"address", Varint(address)},
                                     {"size", Varint(size)}});
    return *this;
  }
  Recording& Free(uint64_t time, uint64_t address) {
    chunk_.Event("profiler.Free",
                 {{"startTime", Varint(time)}, {"eventThread", Varint(2)}, {"address", Varint(address)}});
    return *this;
  }
  Recording& Cpu(uint64_t time, uint64_t stack, uint64_t thread) {
    chunk_.Event("jdk.ExecutionSample",
                 {{"startTime", Varint(time)}, {"sampledThread", Varint(thread)}, {"stackTrace", Varint(stack)}});
    return *this;
  }
  Recording& CpuTime(uint64_t time, uint64_t stack, uint64_t thread) {
    chunk_.Event("jdk.CPUTimeSample", {{"startTime", Varint(time)},
                                       {"eventThread", Varint(thread)},
                                       {"stackTrace", Varint(stack)},
                                       {"samplingPeriod", Varint(10'000'000)}});
    return *this;
  }
  Recording& Span(uint64_t time, uint64_t duration, uint64_t thread, const std::string& tag = "") {
    chunk_.ConstantText(++tags_, Utf8(tag));
    chunk_.Event("profiler.Span", {{"startTime", Varint(time)},
                                   {"duration", Varint(duration)},
                                   {"eventThread", Varint(thread)},
                                   {"tag", Varint(tags_)}});
    return *this;
  }
  Recording& Traced(uint64_t time, uint64_t duration, uint64_t stack, uint64_t thread) {
    chunk_.Event("jdk.MethodTrace", {{"startTime", Varint(time)},
                                     {"duration", Varint(duration)},
                                     {"eventThread", Varint(thread)},
                                     {"stackTrace", Varint(stack)},
                                     {"method", Varint(4)}});
    return *this;
  }
  Recording& Allocation(uint64_t time, uint64_t stack, uint64_t weight) {
    chunk_.Event("jdk.ObjectAllocationSample", {{"startTime", Varint(time)},
                                                {"eventThread", Varint(1)},
                                                {"stackTrace", Varint(stack)},
                                                {"objectClass", Varint(2)},
                                                {"weight", Varint(weight)}});
    return *this;
  }
  Recording& Wall(uint64_t time, uint64_t stack, uint64_t samples) {
    chunk_.Event("profiler.WallClockSample", {{"startTime", Varint(time)},
                                              {"sampledThread", Varint(1)},
                                              {"stackTrace", Varint(stack)},
                                              {"samples", Varint(samples)}});
    return *this;
  }
  Recording& Setting(const std::string& name, const std::string& value) {
    chunk_.Event("jdk.ActiveSetting", {{"name", Utf8(name)}, {"value", Utf8(value)}});
    return *this;
  }
  std::string Finish() { return chunk_.Finish(); }

 private:
  static JfrChunkWriter::Options Options() {
    JfrChunkWriter::Options options;
    options.start_ticks = 0;
    return options;
  }

  JfrChunkWriter chunk_;
  uint64_t tags_ = 0;
};

// "TASK stage STAGE.ATTEMPT partition PARTITION" and the weight of its samples.
Stacks Tasks(const Profile& profile) {
  Stacks weights;
  for (const Sample& sample : profile.samples) {
    const ProfileTask& task = profile.tasks[sample.task];
    weights[std::to_string(task.task) + " stage " + std::to_string(task.stage) + "." +
            std::to_string(task.stage_attempt) + " partition " + std::to_string(task.partition)] += sample.weight;
  }
  return weights;
}

Stacks StacksOfEvent(const Result<Profile>& profile, std::string_view event) {
  EXPECT_TRUE(profile) << profile.error().message;
  if (!profile) return {};
  const Result<uint32_t> row = profile->FindEvent(event);
  return row ? StacksOf(*profile, *row) : Stacks();
}

TEST(JfrLeaks, AreWhatWasNotFreedWhoeverFreedIt) {
  const std::string bytes = Recording()
                                .Malloc(100, 1, 0xA, 10)
                                .Malloc(200, 2, 0xB, 20)
                                .Free(400, 0xB)
                                .Malloc(500, 3, 0xA, 30)  // 0xA was freed by a call that was not sampled
                                .Malloc(300, 4, 0xC, 40)  // written late
                                .Free(1000, 0xDEAD)
                                .Finish();
  EXPECT_EQ(StacksOfEvent(ReadProfile("jfr", bytes, {.unfreed_tail = 0}), "malloc"), (Stacks{{"c", 30}, {"d", 40}}));
  EXPECT_EQ(StacksOfEvent(ReadProfile("jfr", bytes), "malloc"), (Stacks{{"a", 10}, {"b", 20}, {"c", 30}, {"d", 40}}));
}

TEST(JfrLeaks, LeaveOutWhatMayStillBeFreed) {
  const std::string bytes =
      Recording().Malloc(0, 1, 0xA, 10).Malloc(899, 2, 0xB, 20).Malloc(901, 3, 0xC, 30).Free(1000, 0xD).Finish();
  EXPECT_EQ(StacksOfEvent(ReadProfile("jfr", bytes, {.unfreed_tail = 0.1}), "malloc"), (Stacks{{"a", 10}, {"b", 20}}));
  EXPECT_EQ(StacksOfEvent(ReadProfile("jfr", bytes, {.unfreed_tail = 1}), "malloc"), (Stacks{{"a", 10}}));
}

TEST(JfrCpuTime, OfASecondClockIsAnEventOfItsOwn) {
  const std::string bytes = Recording().Cpu(100, 1, 1).CpuTime(100, 1, 1).CpuTime(200, 2, 1).Finish();
  EXPECT_EQ(StacksOfEvent(ReadProfile("jfr", bytes), "cpu"), (Stacks{{"a", 1}}));
  EXPECT_EQ(StacksOfEvent(ReadProfile("jfr", bytes), "cpu-time"), (Stacks{{"a", 1}, {"b", 1}}));
}

TEST(JfrCpuTime, AloneIsTheCpuEvent) {
  Result<Profile> profile = ReadProfile("jfr", Recording().CpuTime(100, 1, 1).CpuTime(200, 1, 1).Finish());
  EXPECT_EQ(StacksOfEvent(profile, "cpu"), (Stacks{{"a", 2}}));
  profile->ShowCountsAs("cpu-time");
  EXPECT_EQ(StacksOfEvent(profile, "cpu-time"), (Stacks{{"a", 2}}));
}

TEST(JfrLatency, KeepsSamplesInLongSpansOfTheirThread) {
  const std::string bytes = Recording()
                                .Cpu(100, 1, 1)
                                .Cpu(150, 2, 1)  // in the short span only
                                .Cpu(250, 3, 1)
                                .Cpu(250, 4, 2)  // another thread's
                                .Cpu(400, 1, 1)  // when a span has ended
                                .Span(140, 30, 1)
                                .Span(200, 100, 1)
                                .Span(220, 180, 1)
                                .Finish();
  EXPECT_EQ(StacksOfEvent(ReadProfile("jfr", bytes, {.min_span_ns = 100}), "cpu"), (Stacks{{"c", 1}}));
  EXPECT_EQ(StacksOfEvent(ReadProfile("jfr", bytes, {.min_span_ns = 30}), "cpu"), (Stacks{{"b", 1}, {"c", 1}}));
}

TEST(JfrLatency, OfTracedMethodsIsTheirs) {
  const std::string bytes =
      Recording().Cpu(99, 1, 1).Cpu(100, 2, 1).Cpu(199, 3, 1).Cpu(200, 4, 1).Traced(100, 100, 4, 1).Finish();
  EXPECT_EQ(StacksOfEvent(ReadProfile("jfr", bytes, {.min_span_ns = 100}), "cpu"), (Stacks{{"b", 1}, {"c", 1}}));
  EXPECT_EQ(ReadProfile("jfr", bytes, {.min_span_ns = 101})->samples.size(), 0u);
}

TEST(JfrLatency, SpansThatTouchOverlapOrFollowEachOtherAreKept) {
  const std::string bytes = Recording()
                                .Cpu(150, 1, 1)
                                .Cpu(250, 2, 1)  // behind the spans that touch, in the long one around the short one
                                .Cpu(450, 3, 1)  // between the spans
                                .Cpu(550, 4, 1)
                                .Span(500, 100, 1)
                                .Span(120, 100, 1)
                                .Span(220, 180, 1)
                                .Span(230, 10, 1)
                                .Finish();
  EXPECT_EQ(StacksOfEvent(ReadProfile("jfr", bytes, {.min_span_ns = 10}), "cpu"),
            (Stacks{{"a", 1}, {"b", 1}, {"d", 1}}));
}

TEST(JfrTasks, SpansWithATagOfATaskAreItsTimeOnItsThread) {
  const std::string bytes = Recording()
                                .Cpu(99, 1, 1)   // before the first task
                                .Cpu(100, 1, 1)  // its first nanosecond
                                .Cpu(199, 1, 1)  // its last
                                .Cpu(200, 1, 1)  // behind it
                                .Cpu(150, 1, 2)  // another thread
                                .Cpu(350, 1, 1)
                                .Span(300, 100, 1, "4,0,8,43,1,FAILED")
                                .Span(100, 100, 1, "3,1,7,42,0,SUCCESS")
                                .Span(0, 1000, 1, "request")
                                .Finish();
  const Result<Profile> profile = ReadProfile("jfr", bytes, {.keep_tasks = true});
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(
      Tasks(*profile),
      (Stacks{{"-1 stage -1.-1 partition -1", 3}, {"42 stage 3.1 partition 7", 2}, {"43 stage 4.0 partition 8", 1}}));
  EXPECT_EQ(ReadProfile("jfr", bytes)->tasks.size(), 1u);
}

TEST(JfrThreads, AreKeptWhenAsked) {
  const std::string bytes = Recording().Cpu(100, 1, 1).Cpu(150, 1, 2).Finish();
  const Result<Profile> profile = ReadProfile("jfr", bytes, {.keep_threads = true});
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->samples.size(), 2u);
  EXPECT_EQ(profile->threads[profile->samples[0].thread].tid, 77);
  EXPECT_EQ(profile->threads[profile->samples[1].thread].name, "two");
  EXPECT_EQ(ReadProfile("jfr", bytes)->samples.size(), 1u);
}

TEST(JfrWeights, AreCountsOfTimeAndBytesOfMemory) {
  const std::string bytes =
      Recording().Wall(100, 1, 5).Allocation(100, 2, 4096).Traced(100, 50, 3, 1).Malloc(100, 1, 0xA, 10).Finish();
  const Result<Profile> profile = ReadProfile("jfr", bytes);
  EXPECT_EQ(StacksOfEvent(profile, "wall"), (Stacks{{"a", 5}}));
  EXPECT_EQ(StacksOfEvent(profile, "alloc"), (Stacks{{"b;com.example.Row", 4096}}));
  EXPECT_EQ(StacksOfEvent(profile, "malloc"), (Stacks{{"a", 10}}));
  // The JDK's stack is that of the caller.
  EXPECT_EQ(StacksOfEvent(profile, "method"), (Stacks{{"c;d", 50}}));
  EXPECT_EQ(profile->events[*profile->FindEvent("wall")].unit, "count");
  EXPECT_EQ(profile->events[*profile->FindEvent("alloc")].unit, "bytes");
  EXPECT_EQ(profile->events[*profile->FindEvent("method")].unit, "ns");
}

TEST(JfrWeights, OfSmallNativeAllocationsAreTheInterval) {
  const std::string bytes = Recording()
                                .Setting("nativemem", "1024")
                                .Setting("other", "5000")
                                .Malloc(100, 1, 1, 10)
                                .Malloc(200, 2, 2, 2000)
                                .Finish();
  EXPECT_EQ(StacksOfEvent(ReadProfile("jfr", bytes), "malloc"), (Stacks{{"a", 1024}, {"b", 2000}}));
}

TEST(JfrLatency, OfARecordingWithoutSpansIsAnError) {
  const Result<Profile> profile = ReadProfile("jfr", Recording().Cpu(100, 1, 1).Finish(), {.min_span_ns = 1});
  ASSERT_FALSE(profile);
  EXPECT_NE(profile.error().message.find("input: --latency: "), std::string::npos) << profile.error().message;
}

TEST(JfrDamage, AChunkWithoutMetadataIsNoneHoweverOftenItIsRead) {
  std::string bytes = Recording().Cpu(100, 1, 1).Finish();
  bytes.replace(8, 8, std::string(8, '\0'));   // its size
  bytes.replace(24, 8, std::string(8, '\0'));  // offset of the metadata
  const Result<Profile> profile = ReadProfile("jfr", bytes, {.lenient = true});
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->damaged, 1);
}

TEST(JfrDamage, WholeChunksBeforeACutOneAreKept) {
  const std::string chunk = Recording().Cpu(100, 1, 1).Finish();
  EXPECT_EQ(DamageOf("jfr", chunk + chunk.substr(0, 100)), "input: offset " + std::to_string(chunk.size()) +
                                                               ": expected a complete JFR chunk of " +
                                                               std::to_string(chunk.size()) + " bytes, found 100");
  EXPECT_EQ(StacksOfText("jfr", chunk + chunk.substr(0, 100), {.lenient = true}), (Stacks{{"a", 1}}));
}

TEST(JfrDamage, IsCountedInEachChunk) {
  const std::string chunk = Recording().Cpu(100, 1, 1).Finish();
  std::string being_written = chunk;
  being_written.replace(24, 8, std::string(8, '\0'));  // offset of the metadata
  const Result<Profile> profile = ReadProfile("jfr", chunk + chunk + being_written, {.lenient = true});
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->damaged, 1);
  EXPECT_EQ(StacksOfEvent(profile, "cpu"), (Stacks{{"a", 2}}));
  EXPECT_NE(
      profile->first_damage.find("offset " + std::to_string(2 * chunk.size()) + ": expected a complete JFR chunk of "),
      std::string::npos)
      << profile->first_damage;
}

TEST(JfrDamage, FewerBytesThanAHeaderBehindAChunkAreNamed) {
  const std::string chunk = Recording().Cpu(100, 1, 1).Finish();
  EXPECT_EQ(DamageOf("jfr", chunk + std::string(67, '?')),
            "input: offset " + std::to_string(chunk.size()) + ": expected a JFR chunk's header of 68 bytes, found 67");
}

TEST(JfrDamage, ForeignBytesBehindAChunkAreNamedWithTheirPlace) {
  const std::string chunk = Recording().Cpu(100, 1, 1).Finish();
  EXPECT_EQ(DamageOf("jfr", chunk + std::string(100, '?')),
            "input: offset " + std::to_string(chunk.size()) + ": expected a JFR chunk (magic FLR\\0), found \"????\"");
}

TEST(JfrDamage, AChunkWithDamagedMetadataIsSkipped) {
  const std::string chunk = Recording().Cpu(100, 1, 1).Finish();
  std::string damaged = chunk;
  damaged.back() = '\x7F';
  EXPECT_NE(DamageOf("jfr", damaged + chunk).find("damaged type tree of the metadata"), std::string::npos);
  EXPECT_EQ(StacksOfText("jfr", damaged + chunk, {.lenient = true}), (Stacks{{"a", 1}}));
}

}  // namespace
}  // namespace sparkprof::testing
