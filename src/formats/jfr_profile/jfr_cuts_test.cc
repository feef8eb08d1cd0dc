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
    chunk_.Symbol(10, "");
    chunk_.Class(1, 10);
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
  Recording& Span(uint64_t time, uint64_t duration, uint64_t thread) {
    chunk_.Event("profiler.Span",
                 {{"startTime", Varint(time)}, {"duration", Varint(duration)}, {"eventThread", Varint(thread)}});
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
};

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

TEST(JfrLatency, OfARecordingWithoutSpansIsAnError) {
  const Result<Profile> profile = ReadProfile("jfr", Recording().Cpu(100, 1, 1).Finish(), {.min_span_ns = 1});
  ASSERT_FALSE(profile);
  EXPECT_NE(profile.error().message.find("input: --latency: "), std::string::npos) << profile.error().message;
}

TEST(JfrDamage, AChunkWithoutMetadataIsNoneHoweverOftenItIsRead) {
  std::string bytes = Recording().Cpu(100, 1, 1).Finish();
  bytes.replace(8, 8, std::string(8, '\0'));   // its size
  bytes.replace(24, 8, std::string(8, '\0'));  // where the metadata begins
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
