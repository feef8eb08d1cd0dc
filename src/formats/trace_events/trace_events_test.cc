// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/memory_limit.h"
#include "formats/testing/read_profile.h"

namespace sparkprof::testing {
namespace {

std::string Call(const std::string& name, int ts, int dur) {
  return R"({"ph":"X","name":")" + name + R"(","ts":)" + std::to_string(ts) + R"(,"dur":)" + std::to_string(dur) + "},";
}

std::string Mark(const char* phase, const std::string& name, int ts) {
  return std::string(R"({"ph":")") + phase + R"(","name":")" + name + R"(","ts":)" + std::to_string(ts) + "},";
}

TEST(TraceEventsTest, ACallWeighsItsOwnTime) {
  EXPECT_EQ(StacksOfText("trace-events", "[" + Call("b", 2, 3) + Call("a", 0, 10)),
            (Stacks{{"a", 7'000}, {"a;b", 3'000}}));
  EXPECT_EQ(
      StacksOfText("trace-events", "[" + Mark("B", "a", 0) + Mark("B", "b", 1) + Mark("E", "b", 3) + Mark("E", "a", 4)),
      (Stacks{{"a", 2'000}, {"a;b", 2'000}}));
  EXPECT_EQ(StacksOfText("trace-events", R"({"traceEvents":[{"ph":"X","name":"a","ts":0.5,"dur":0.25}]})"),
            (Stacks{{"a", 250}}));
}

// py-spy writes them: a sample ends all calls and begins those of the next.
TEST(TraceEventsTest, CallsOfTheSameNameFollowEachOther) {
  const std::string text = "[" + Mark("B", "a", 0) + Mark("B", "b", 0) + Mark("E", "b", 5) + Mark("E", "a", 5) +
                           Mark("B", "b", 5) + Mark("E", "b", 9) + Mark("B", "b", 9) + Mark("E", "b", 10);
  EXPECT_EQ(StacksOfText("trace-events", text), (Stacks{{"a;b", 5'000}, {"b", 5'000}}));
  EXPECT_EQ(StacksOfText("trace-events", "[" + Call("a", 0, 10) + Call("b", 5, 5) + Call("b", 10, 5)),
            (Stacks{{"a", 5'000}, {"a;b", 5'000}, {"b", 5'000}}));
}

TEST(TraceEventsTest, CallsWithoutDurationLeaveTheirCallerOpen) {
  EXPECT_EQ(StacksOfText("trace-events", "[" + Call("a", 0, 10) + Call("z", 0, 0) + Call("z", 5, 0) + Call("z", 10, 0)),
            (Stacks{{"a", 10'000}}));
}

std::string End(int ts) { return R"({"ph":"E","ts":)" + std::to_string(ts) + "},"; }

TEST(TraceEventsTest, AnEndWithoutANameEndsTheInnermostCall) {
  const std::string text = "[" + Mark("B", "a", 0) + Mark("B", "b", 1) + End(3) + Mark("B", "c", 4) + End(5) + End(9);
  EXPECT_EQ(StacksOfText("trace-events", text), (Stacks{{"a", 6'000}, {"a;b", 2'000}, {"a;c", 1'000}}));
  // In order of the file where they have one time: after the begin before it.
  EXPECT_EQ(StacksOfText("trace-events", "[" + Mark("B", "a", 0) + Mark("B", "z", 5) + End(5) + End(9)),
            (Stacks{{"a", 9'000}}));
  EXPECT_EQ(StacksOfText("trace-events", "[" + Mark("B", "a", 0) + End(5) + Mark("B", "b", 5) + End(9)),
            (Stacks{{"a", 5'000}, {"b", 4'000}}));
}

TEST(TraceEventsTest, CallsOfOneBeginNestByTheirDuration) {
  const Stacks nested{{"a", 6'000}, {"a;b", 4'000}};
  EXPECT_EQ(StacksOfText("trace-events", "[" + Call("a", 0, 10) + Mark("B", "b", 0) + Mark("E", "b", 4)), nested);
  EXPECT_EQ(StacksOfText("trace-events", "[" + Mark("B", "b", 0) + Mark("E", "b", 4) + Call("a", 0, 10)), nested);
  EXPECT_EQ(StacksOfText("trace-events", "[" + Mark("B", "a", 0) + Mark("E", "a", 10) + Call("b", 0, 4)), nested);
  EXPECT_EQ(StacksOfText("trace-events", "[" + Call("b", 0, 4) + Mark("E", "a", 10) + Mark("B", "a", 0)), nested);
}

TEST(TraceEventsTest, AnEndClosesWhatIsStillOpenInItsCall) {
  const std::string text = "[" + Mark("B", "a", 0) + Mark("B", "b", 1) + Mark("E", "a", 4) + Call("c", 6, 2);
  const Result<Profile> profile = ReadProfile("trace-events", text);
  ASSERT_TRUE(profile);
  EXPECT_EQ(StacksOf(*profile, profile->default_event), (Stacks{{"a", 1'000}, {"a;b", 3'000}, {"c", 2'000}}));
  EXPECT_EQ(profile->notes, (std::vector<std::string>{"input: 1 calls without an end, counted up to the last event"}));
}

TEST(TraceEventsTest, AnEndOfACallMayComeAfterTheBeginOfTheNextInTheFile) {
  EXPECT_EQ(
      StacksOfText("trace-events", "[" + Mark("B", "a", 0) + Mark("B", "b", 5) + Mark("E", "a", 5) + Mark("E", "b", 9)),
      (Stacks{{"a", 5'000}, {"b", 4'000}}));
}

TEST(TraceEventsTest, CallsThatOverlapEndAtTheirTime) {
  EXPECT_EQ(StacksOfText("trace-events", "[" + Call("a", 0, 10) + Call("b", 5, 10) + Call("c", 20, 5)),
            (Stacks{{"a", 5'000}, {"a;b", 10'000}, {"c", 5'000}}));
}

TEST(TraceEventsTest, NumbersMayBeTextAndThreadsMayHaveNames) {
  const std::string text = R"([{"ph":"X","name":"a","ts":"10","dur":"2.5","pid":"1","tid":"7"},)"
                           R"({"ph":"X","name":"b","ts":1e1,"dur":0.125,"pid":"render","tid":"main"},)"
                           R"({"ph":"X","name":"c","ts":1700000000000000.5,"dur":1,"pid":"render","tid":"io"}])";
  const Result<Profile> profile = ReadProfile("trace-events", text, {.keep_threads = true});
  ASSERT_TRUE(profile);
  EXPECT_EQ(StacksOf(*profile, profile->default_event), (Stacks{{"a", 2'500}, {"b", 125}, {"c", 1'000}}));
  std::vector<std::string> threads;
  for (const Sample& sample : profile->samples) {
    const ProfileThread& thread = profile->threads[sample.thread];
    threads.push_back(thread.name + ":" + std::to_string(thread.tid));
  }
  std::sort(threads.begin(), threads.end());
  EXPECT_EQ(threads, (std::vector<std::string>{":7", "io:0", "main:0"}));
}

TEST(TraceEventsTest, OtherMembersMayStandBeforeAndAfterTheEvents) {
  const std::string events = R"("traceEvents":[)" + Call("a", 0, 1) + R"({}])";
  const std::string other = R"("otherData":{"x":["]}",[{}],"\""]},"n":-1.5e3,"t":true)";
  for (const std::string& text : {"{" + other + "," + events + "}", " {" + events + ",\n" + other + "}\n",
                                  "{" + other + " , " + events + "," + other + "}"}) {
    EXPECT_EQ(StacksOfText("trace-events", text), (Stacks{{"a", 1'000}})) << text;
  }
  EXPECT_EQ(DamageOf("trace-events", "{" + events + "," + other),
            "input: offset 111: expected trace events in JSON, found its end");
  EXPECT_EQ(DamageOf("trace-events", "{" + other + "}"), "input: offset 0: expected traceEvents, found none");
  EXPECT_EQ(DamageOf("trace-events", "[{}] x").substr(0, 50), "input: offset 5: expected trace events in JSON, fo");
}

TEST(TraceEventsTest, FramesOfSamplesMayFollowThem) {
  EXPECT_EQ(
      StacksOfText("trace-events",
                   R"({"traceEvents":[{"ph":"P","ts":20,"sf":7},{"ph":"P","ts":10,"sf":7},{"ph":"P","ts":25,"sf":7}],)"
                   R"("stackFrames":{"7":{"name":"b","parent":"6"},"6":{"name":"a"}}})"),
      (Stacks{{"a;b", 15'000}}));
}

// Memory is for the calls of a thread, not for the text.
TEST(TraceEventsTest, ALongTraceNeedsTheMemoryOfItsCalls) {
  constexpr int kCalls = 400'000;
  std::string text = R"({"metadata":{"x":")" + std::string(1 << 20, 'x') + R"("},"traceEvents":[)";
  for (int i = 0; i < kCalls; ++i) {
    text += R"({"ph":"X","name":"a","ts":)" + std::to_string(2 * i) + R"(,"dur":1,"args":{"text":")" +
            std::string(100, 'x') + R"("}},)";
  }
  text.back() = ']';
  text += "}";
  ASSERT_GT(text.size(), size_t{60} << 20);
  const auto read = WithinMemory(size_t{16} << 20, [&]() -> Result<Profile> {
    ProfileBuilder builder({.name = "input"});
    if (Result<void> done = FindProfileFormat("trace-events")->read(ViewSource(text), &builder); !done)
      return tl::unexpected(done.error());
    return builder.Take();
  });
  ASSERT_TRUE(read);
  ASSERT_TRUE(*read) << read->error().message;
  EXPECT_EQ(StacksOf(**read, 0), (Stacks{{"a", kCalls * int64_t{1'000}}}));
}

TEST(TraceEventsTest, ThreadsAreSeparate) {
  const std::string text =
      R"([{"ph":"X","name":"a","ts":0,"dur":9,"pid":1,"tid":1},{"ph":"X","name":"b","ts":1,"dur":2,"pid":1,"tid":2},)"
      R"({"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"worker"}}])";
  EXPECT_EQ(StacksOfText("trace-events", text), (Stacks{{"a", 9'000}, {"b", 2'000}}));
  const Result<Profile> profile = ReadProfile("trace-events", text, {.keep_threads = true});
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->samples.size(), 2u);
  EXPECT_EQ(profile->threads[profile->samples[1].thread].name, "worker");
  EXPECT_EQ(profile->threads[profile->samples[1].thread].tid, 2);
}

TEST(TraceEventsTest, WhatIsNotACallIsCounted) {
  const Result<Profile> profile =
      ReadProfile("trace-events", "[" + Mark("i", "x", 0) + Mark("C", "x", 0) + Mark("E", "y", 1) + Mark("B", "a", 2) +
                                      Mark("i", "x", 4));
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->notes, (std::vector<std::string>{"input: 1 ends of calls without a begin skipped",
                                                      "input: 1 calls without an end, counted up to the last event",
                                                      "input: 3 events that are not calls not shown (ph C, i)"}));
}

TEST(TraceEventsTest, SamplesWeighTheTimeToTheNext) {
  EXPECT_EQ(StacksOfText("trace-events",
                         R"({"traceEvents":[],"samples":[{"ts":"10","sf":2},{"ts":"30","sf":"1"},{"ts":"35","sf":2}],)"
                         R"("stackFrames":{"1":{"name":"a"},"2":{"name":"b","parent":1}}})"),
            (Stacks{{"a;b", 20'000}, {"a", 5'000}}));
  // Callers that go round in a circle end somewhere.
  EXPECT_TRUE(ReadProfile("trace-events",
                          R"({"traceEvents":[],"samples":[{"ts":1,"sf":1},{"ts":2,"sf":1}],)"
                          R"("stackFrames":{"1":{"name":"a","parent":2},"2":{"name":"b","parent":1}}})"));
}

TEST(TraceEventsTest, ProfilesOfV8AreNotRead) {
  EXPECT_EQ(DamageOf("trace-events", R"([{"ph":"P","name":"Profile","id":"0x1","ts":1,"args":{"data":{}}}])"),
            "input: event 0: expected calls or samples, found a CPU profile of V8; open it in speedscope and save it "
            "(Ctrl+S)");
}

TEST(TraceEventsTest, TheEndOfTheArrayMayBeMissing) {
  for (const char* end : {"", "\n", ",", ",\n", "]"}) {
    std::string text = "[" + Call("a", 0, 1);
    text.pop_back();
    EXPECT_EQ(StacksOfText("trace-events", text + end), (Stacks{{"a", 1'000}})) << end;
  }
  EXPECT_EQ(DamageOf("trace-events", "[" + Call("a", 0, 1) + R"({"ph":"X","na)"),
            "input: offset 51: expected trace events in JSON, found its end");
  EXPECT_EQ(DamageOf("trace-events", "[" + Call("a", 0, 1) + R"({"ph":"X"}])"),
            "input: event 1: expected ts, a time in µs");
  EXPECT_EQ(DamageOf("trace-events", "[1]"), "input: event 0: expected an object with ph");
}

}  // namespace
}  // namespace sparkprof::testing
