// SPDX-License-Identifier: Apache-2.0
#include "formats/pyroscope/pyroscope_reader.h"

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
