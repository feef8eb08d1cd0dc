// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "formats/testing/read_profile.h"

namespace sparkprof::testing {
namespace {

constexpr const char* kNodes =
    R"({"nodes":[{"id":1,"callFrame":{"functionName":"(root\u0029"},"children":[2,4,5,6]},)"
    R"({"id":2,"callFrame":{"functionName":"a","url":"file:///x.js","lineNumber":3},"hitCount":2,"children":[3]},)"
    R"({"id":3,"callFrame":{"functionName":"","url":""},"hitCount":1},{"id":4,"callFrame":{"functionName":"(idle\u0029"}},)"
    R"({"id":5,"callFrame":{"functionName":"(program\u0029"}},{"id":6,"callFrame":{"functionName":"(garbage collector\u0029"}}],)";

std::string Profile(const char* samples, const char* deltas) {
  return std::string(kNodes) + R"("startTime":100,"samples":)" + samples + R"(,"timeDeltas":)" + deltas + "}";
}

TEST(V8ProfileTest, ASampleLastsUntilTheNext) {
  EXPECT_EQ(StacksOfText("v8", Profile("[2,2,3,2]", "[7,1,2,3]")),
            (Stacks{{"a:4", 3'000}, {"a:4;(anonymous)", 3'000}}));
}

TEST(V8ProfileTest, IdleTimeIsNotCounted) {
  EXPECT_EQ(StacksOfText("v8", Profile("[2,4,2,4]", "[0,1,50,2]")), (Stacks{{"a:4", 3'000}}));
}

TEST(V8ProfileTest, TheEngineRunsOnTopOfTheStackBefore) {
  EXPECT_EQ(StacksOfText("v8", Profile("[3,6,5,6,2]", "[0,1,2,4,8]")),
            (Stacks{{"a:4;(anonymous)", 1'000},
                    {"a:4;(anonymous);(garbage collector)", 10'000},
                    {"a:4;(anonymous);(garbage collector);(program)", 4'000}}));
}

TEST(V8ProfileTest, ClocksThatStepBackDoNotTakeTimeAway) {
  EXPECT_EQ(StacksOfText("v8", Profile("[2,3,2,2]", "[0,10,-6,9]")), (Stacks{{"a:4", 13'000}}));
}

TEST(V8ProfileTest, TreesWithTimestampsAreRead) {
  EXPECT_EQ(
      StacksOfText("v8",
                   R"({"head":{"functionName":"(root\u0029","id":1,"children":[{"functionName":"a","id":2,"children":[)"
                   R"({"functionName":"b","id":3,"children":[]}]}]},"startTime":1,"samples":[2,3,2],)"
                   R"("timestamps":[1000001,1000004,1000005]})"),
      (Stacks{{"a", 3'000}, {"a;b", 1'000}}));
}

TEST(V8ProfileTest, WithoutSamplesTicksAreCounted) {
  EXPECT_EQ(StacksOfText("v8", std::string(kNodes) + R"("startTime":1})"),
            (Stacks{{"a:4", 2}, {"a:4;(anonymous)", 1}}));
}

TEST(V8ProfileTest, HeapProfilesCountBytesInUse) {
  const Result<struct Profile> profile = ReadProfile(
      "v8",
      R"({"head":{"callFrame":{"functionName":"(root\u0029"},"selfSize":0,"children":[{"callFrame":{"functionName":"a"},)"
      R"("selfSize":10,"children":[{"callFrame":{"functionName":"b"},"selfSize":5,"children":[]}]}]}})");
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->events, (std::vector<ProfileEvent>{{.name = "live", .unit = "bytes"}}));
  EXPECT_EQ(StacksOf(*profile, 0), (Stacks{{"a", 10}, {"a;b", 5}}));
}

TEST(V8ProfileTest, SamplesOfCallsThatAreNotInTheFileAreNoted) {
  const Result<struct Profile> profile = ReadProfile("v8", Profile("[2,9,9,2]", "[0,1,2,4]"));
  ASSERT_TRUE(profile);
  EXPECT_EQ(StacksOf(*profile, 0), (Stacks{{"a:4", 1'000}}));
  EXPECT_EQ(profile->notes,
            (std::vector<std::string>{"input: 2 of 4 samples skipped: their calls are not in the file"}));
}

TEST(V8ProfileTest, DamageIsReported) {
  EXPECT_EQ(DamageOf("v8", Profile("[2,3]", "[1]")), "input: timeDeltas[1]: expected one for each of 2 samples");
  const std::string text = Profile("[2,3,2]", "[0,1,2]");
  EXPECT_EQ(DamageOf("v8", text.substr(0, text.size() - 5)).substr(0, 40),
            "input: offset " + std::to_string(text.size() - 5) + ": expected a V8 profile");
  EXPECT_EQ(DamageOf("v8", "{}"), "input: offset 0: expected a V8 profile with nodes");
  // Callers in a circle.
  EXPECT_TRUE(ReadProfile(
      "v8", R"({"nodes":[{"id":1,"parent":2,"callFrame":{"functionName":"a"}},)"
            R"({"id":2,"parent":1,"callFrame":{"functionName":"b"}}],"samples":[1,2],"timeDeltas":[1,2]})"));
}

}  // namespace
}  // namespace sparkprof::testing
