// SPDX-License-Identifier: Apache-2.0
#include "formats/collapsed/collapsed_reader.h"

#include <gtest/gtest.h>

#include "formats/testing/read_profile.h"

namespace sparkprof::testing {
namespace {

TEST(CollapsedReaderTest, ReadsStacksAndAddsUpThoseThatAreEqual) {
  EXPECT_EQ(StacksOfText("collapsed", "a;b;c 3\na;b 2\na;b;c 4\nb 1\n\na;bb;c 9"),
            (Stacks{{"a;b", 2}, {"a;b;c", 7}, {"a;bb;c", 9}, {"b", 1}}));
}

TEST(CollapsedReaderTest, LinesThatBeginAlikeAreToldApart) {
  EXPECT_EQ(StacksOfText("collapsed", "a;b;c 1\na;b;cd 2\na;b 3\na;bc 4\na 5\n"),
            (Stacks{{"a;b;c", 1}, {"a;b;cd", 2}, {"a;b", 3}, {"a;bc", 4}, {"a", 5}}));
}

// Common prefixes of lines are cached, which must not change the result for lines of any length.
TEST(CollapsedReaderTest, LinesInAnyOrderAreReadLikeEachAlone) {
  Stacks expected;
  std::string text;
  uint32_t seed = 1;
  const auto random = [&](uint32_t below) { return (seed = seed * 1664525 + 1013904223) / 65536 % below; };
  for (int line = 0; line < 3000; ++line) {
    std::string stack = "worker-" + std::to_string(random(3));
    for (uint32_t depth = random(line % 100 == 0 ? 20'000 : 60); depth > 0; --depth) {
      stack += ";function_" + std::to_string(random(random(20) == 0 ? 100 : 1));
    }
    text += stack + " 1\n";
    ++expected[stack];
  }
  EXPECT_EQ(StacksOfText("collapsed", text), expected);
}

TEST(CollapsedReaderTest, NamesMayHaveBlanksAndNumbers) {
  EXPECT_EQ(StacksOfText("collapsed", "[tid 12];f (x.py:3) 5\r\n"), (Stacks{{"[tid 12];f (x.py:3)", 5}}));
}

TEST(CollapsedReaderTest, DecimalsAreRounded) {
  EXPECT_EQ(StacksOfText("collapsed", "a 1.5\nb 2.4\nc 3.\n"), (Stacks{{"a", 2}, {"b", 2}, {"c", 3}}));
}

TEST(CollapsedReaderTest, DecimalsAreAddedBeforeTheyAreRounded) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "a;b 0.4\n";
  EXPECT_EQ(StacksOfText("collapsed", text), (Stacks{{"a;b", 120}}));
  EXPECT_EQ(StacksOfText("collapsed", "a 9223372036854775807.9\na 0.9\n"), (Stacks{{"a", INT64_MAX}}));
}

TEST(CollapsedReaderTest, DifferencesAreNegative) {
  EXPECT_EQ(StacksOfText("collapsed", "a;b -3\na;b 1\nc -0.6\nc -0.6\nd-1 2\n"),
            (Stacks{{"a;b", -2}, {"c", -1}, {"d-1", 2}}));
}

TEST(CollapsedReaderTest, RoundingKeepsTheTotal) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "a;" + std::to_string(i) + " 0.4 0.25\n";
  const Result<Profile> profile = ReadProfile("collapsed", text);
  ASSERT_TRUE(profile);
  int64_t before = 0, after = 0;
  for (const auto& [stack, weight] : StacksOf(*profile, 0)) before += weight;
  for (const auto& [stack, weight] : StacksOf(*profile, 1)) after += weight;
  EXPECT_EQ(before, 400);
  EXPECT_EQ(after, 250);
}

TEST(CollapsedReaderTest, TwoColumnsAreBeforeAndAfter) {
  const Result<Profile> profile = ReadProfile("collapsed", "a;b 31 33\na 0 2\n");
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->events[0].name, "before");
  EXPECT_EQ(StacksOf(*profile, 0), (Stacks{{"a;b", 31}}));
  EXPECT_EQ(StacksOf(*profile, 1), (Stacks{{"a;b", 33}, {"a", 2}}));
}

TEST(CollapsedReaderTest, EndingsSayTheKindAndStay) {
  const Result<Profile> profile = ReadProfile("collapsed", "run_[j];tick_[k] 1\n");
  ASSERT_TRUE(profile);
  EXPECT_EQ(StacksOf(*profile, 0), (Stacks{{"run_[j];tick_[k]", 1}}));
  EXPECT_EQ(profile->frames.Get(1).kind, FrameKind::kJit);
  EXPECT_EQ(profile->frames.Get(2).kind, FrameKind::kKernel);
}

TEST(CollapsedReaderTest, DamageNamesTheLine) {
  EXPECT_EQ(DamageOf("collapsed", "a 1\nno weight\nb 2\n"),
            "input: line 2: expected a stack such as a;b;c, a space and a number, found 'no weight'");
  EXPECT_EQ(DamageOf("collapsed", "a 99999999999999999999\n").substr(0, 14), "input: line 1:");
  EXPECT_EQ(StacksOfText("collapsed", "a 1\nno weight\nb 2\n", {.lenient = true}), (Stacks{{"a", 1}, {"b", 2}}));
}

}  // namespace
}  // namespace sparkprof::testing
