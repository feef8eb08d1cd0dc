// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "formats/testing/read_profile.h"

namespace sparkprof::testing {
namespace {

std::string Page(const std::string& levels, const std::string& metadata = R"({"format":"single","units":"samples"})") {
  return R"({"version":1,"flamebearer":{"names":["total","main","work","io"],"levels":)" + levels +
         R"(,"numTicks":10,"maxSelf":6},"metadata":)" + metadata + "}";
}

TEST(PyroscopeReaderTest, LevelsBecomeStacks) {
  const std::string page = Page("[[0,12,0,0],[0,10,1,1,0,2,2,3],[1,6,6,2,0,3,3,3]]");
  EXPECT_TRUE(LooksLikePyroscope(page));
  EXPECT_EQ(StacksOfText("pyroscope", page), (Stacks{{"main", 1}, {"main;work", 6}, {"main;io", 3}, {"io", 2}}));
}

TEST(PyroscopeReaderTest, UnitsMakeTheEvent) {
  const auto event = [](const std::string& units) {
    const Result<Profile> profile =
        ReadProfile("pyroscope", Page("[[0,1,0,0],[0,1,1,1]]", R"({"units":")" + units + "\"}"));
    return profile ? profile->events[0].name + " " + profile->events[0].unit : profile.error().message;
  };
  EXPECT_EQ(event("bytes"), "alloc bytes");
  EXPECT_EQ(event("lock_nanoseconds"), "lock ns");
  EXPECT_EQ(event("objects"), "samples count");
}

TEST(PyroscopeReaderTest, SamplesOfVersion1AreNanosecondsOfCpu) {
  const auto cpu = [](const std::string& metadata) {
    const Result<Profile> profile = ReadProfile("pyroscope", Page("[[0,7,0,0],[0,7,7,1]]", metadata));
    return profile->events[0].name + " " + profile->events[0].unit;
  };
  EXPECT_EQ(cpu(R"({"format":"single","spyName":"","sampleRate":1000000000,"units":"samples","name":"cpu"})"),
            "cpu ns");
  EXPECT_EQ(cpu(R"({"format":"single","spyName":"","sampleRate":100,"units":"samples","name":"cpu"})"), "cpu ns");
  EXPECT_EQ(cpu(R"({"format":"single","spyName":"gospy","sampleRate":100,"units":"samples"})"), "samples count");
}

TEST(PyroscopeReaderTest, AnswersOfQueriesHaveNumbersAsText) {
  const std::string answer =
      R"({"flamegraph":{"names":["total","main","work"],"levels":[{"values":["0","10","0","0"]},)"
      R"({"values":["0","10","4","1"]},{"values":["4","6","6","2"]}],"total":"10","maxSelf":"6"}})";
  EXPECT_TRUE(LooksLikePyroscope(answer));
  EXPECT_EQ(StacksOfText("pyroscope", answer), (Stacks{{"main", 4}, {"main;work", 6}}));
  EXPECT_FALSE(ReadProfile("pyroscope", R"({"flamegraph":{"names":[],"levels":[],"leftTicks":"3"}})"));
}

TEST(PyroscopeReaderTest, FramesWithoutACallerOrANameAreDamage) {
  for (const char* const levels : {"[[0,10,0,0],[11,1,1,1]]", "[[0,10,0,0],[0,1,1,9]]", "[[0,10,0,0],[0,1,1]]",
                                   "[[0,10,0,0],[0,-1,1,1]]", "[7]"}) {
    EXPECT_EQ(DamageOf("pyroscope", Page(levels)),
              "input: offset 0: expected frames of four numbers below another frame, found 1 others")
        << levels;
  }
  DamageOf("pyroscope", Page("[[0,10,0,0]]").substr(0, 60));
  DamageOf("pyroscope", R"({"flamebearer":{}})");
}

TEST(PyroscopeReaderTest, ComparisonsAreNamed) {
  const Result<Profile> profile = ReadProfile("pyroscope", Page("[]", R"({"format":"double"})"));
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().message, "input: a comparison of Pyroscope; export each of the two flame graphs");
}

}  // namespace
}  // namespace sparkprof::testing
