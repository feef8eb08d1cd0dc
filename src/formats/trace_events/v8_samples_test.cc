// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "formats/testing/read_profile.h"

namespace sparkprof::testing {
namespace {

constexpr const char* kNodes =
    R"({"nodes":[{"id":1,"callFrame":{"functionName":"(root\u0029"},"children":[2,4,5,6]},)"
    R"({"id":2,"callFrame":{"functionName":"a","url":"file:///x.js","lineNumber":3},"children":[3]},)"
    R"({"id":3,"callFrame":{"functionName":"","url":""}},{"id":4,"callFrame":{"functionName":"(idle\u0029"}},)"
    R"({"id":5,"callFrame":{"functionName":"(program\u0029"}},{"id":6,"callFrame":{"functionName":"(garbage collector\u0029"}}],)";

std::string Trace(const std::string& profile) {
  return R"([{"ph":"I","name":"CpuProfile","ts":1,"args":{"data":{"cpuProfile":)" + profile + "}}}]";
}

std::string Trace(const char* samples, const char* deltas) {
  return Trace(std::string(kNodes) + R"("startTime":100,"samples":)" + samples + R"(,"timeDeltas":)" + deltas + "}");
}

TEST(V8SamplesTest, ASampleLastsUntilTheNext) {
  EXPECT_EQ(StacksOfText("trace-events", Trace("[2,2,3,2]", "[7,1,2,3]")),
            (Stacks{{"a:4", 3'000}, {"a:4;(anonymous)", 3'000}}));
}

TEST(V8SamplesTest, IdleTimeIsNotCounted) {
  EXPECT_EQ(StacksOfText("trace-events", Trace("[2,4,2,4]", "[0,1,50,2]")), (Stacks{{"a:4", 3'000}}));
}

TEST(V8SamplesTest, TheEngineRunsOnTopOfTheStackBefore) {
  EXPECT_EQ(StacksOfText("trace-events", Trace("[3,6,5,6,2]", "[0,1,2,4,8]")),
            (Stacks{{"a:4;(anonymous)", 1'000},
                    {"a:4;(anonymous);(garbage collector)", 10'000},
                    {"a:4;(anonymous);(garbage collector);(program)", 4'000}}));
}

TEST(V8SamplesTest, ClocksThatStepBackDoNotTakeTimeAway) {
  EXPECT_EQ(StacksOfText("trace-events", Trace("[2,3,2,2]", "[0,10,-6,9]")), (Stacks{{"a:4", 13'000}}));
}

TEST(V8SamplesTest, SamplesOfCallsThatAreNotInTheFileAreNoted) {
  const Result<Profile> profile = ReadProfile("trace-events", Trace("[2,9,9,2]", "[0,1,2,4]"));
  ASSERT_TRUE(profile);
  EXPECT_EQ(StacksOf(*profile, 0), (Stacks{{"a:4", 1'000}}));
  EXPECT_EQ(profile->notes,
            (std::vector<std::string>{"input: 2 of 4 samples skipped: their calls are not in the file"}));
}

TEST(V8SamplesTest, EachSampleHasADelta) {
  EXPECT_EQ(DamageOf("trace-events", Trace("[2,3]", "[1]")),
            "input: timeDeltas[1]: expected one for each of 2 samples");
}

TEST(V8SamplesTest, CallersMayGoRoundInACircle) {
  EXPECT_TRUE(ReadProfile(
      "trace-events",
      Trace(R"({"nodes":[{"id":1,"parent":2,"callFrame":{"functionName":"a"}},)"
            R"({"id":2,"parent":1,"callFrame":{"functionName":"b"}}],"samples":[1,2],"timeDeltas":[1,2]})")));
}

}  // namespace
}  // namespace sparkprof::testing
