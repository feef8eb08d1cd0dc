// SPDX-License-Identifier: Apache-2.0
#include "server/querier/flame_levels.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace sparkprof {
namespace {

using Levels = std::vector<std::vector<int64_t>>;
using Names = std::vector<std::string>;

// A handmade profile with the events "before" and "after".
class Stacks {
 public:
  Stacks() {
    profile.AddEvent("after", "ns");
    profile.AddEvent("before", "ns");
  }

  Stacks& Add(std::initializer_list<std::string_view> frames, int64_t weight, EventId event = 0) {
    StackId stack = 0;
    for (const std::string_view frame : frames) {
      stack = profile.stacks.Push(stack, profile.frames.Intern({.name = profile.strings.Intern(frame)}));
    }
    profile.samples.push_back({.stack = stack, .event = event, .weight = weight});
    return *this;
  }

  FlameLevels Draw(size_t max_nodes = 100) const { return MakeFlameLevels(profile, 0, std::nullopt, max_nodes); }

  Profile profile;
};

TEST(FlameLevelsTest, BarsLieBehindTheOwnWeightOfTheirCaller) {
  const FlameLevels flame =
      Stacks().Add({"main"}, 5).Add({"main", "b"}, 10).Add({"main", "a", "c"}, 20).Add({"idle"}, 7).Draw();
  EXPECT_EQ(flame.names, (Names{"total", "idle", "main", "a", "b", "c"}));
  EXPECT_EQ(flame.levels, (Levels{{0, 42, 0, 0},                 // total
                                  {0, 7, 7, 1, 0, 35, 5, 2},     // idle, main
                                  {12, 20, 0, 3, 0, 10, 10, 4},  // a, b
                                  {12, 20, 20, 5}}));            // c
  EXPECT_EQ(flame.total, 42);
  EXPECT_EQ(flame.max_self, 20);
}

TEST(FlameLevelsTest, HugeWeightsStayInRange) {
  const FlameLevels flame = Stacks().Add({"a"}, INT64_MAX).Add({"b"}, INT64_MAX).Add({"c"}, INT64_MAX).Draw();
  EXPECT_EQ(flame.total, INT64_MAX);
  EXPECT_EQ(flame.levels.back(),
            (std::vector<int64_t>{0, INT64_MAX, INT64_MAX, 1, 0, INT64_MAX, INT64_MAX, 2, 0, INT64_MAX, INT64_MAX, 3}));
}

TEST(FlameLevelsTest, WithoutSamplesThereAreNoLevels) {
  EXPECT_TRUE(Stacks().Draw().levels.empty());
  EXPECT_TRUE(Stacks().Add({"main"}, 0).Draw().levels.empty());
}

TEST(FlameLevelsTest, BarsWithoutWidthAreLeftOut) {
  EXPECT_EQ(Stacks().Add({"main", "a"}, 3).Add({"main", "b"}, 0).Draw().names, (Names{"total", "main", "a"}));
}

TEST(FlameLevelsTest, TheSmallestFramesBecomeOther) {
  Stacks stacks;
  stacks.Add({"main", "a"}, 10).Add({"main", "b"}, 3).Add({"main", "c"}, 2).Add({"main", "b", "d"}, 1);
  const FlameLevels flame = stacks.Draw(2);
  EXPECT_EQ(flame.names, (Names{"total", "main", "a", "other"}));
  EXPECT_EQ(flame.levels, (Levels{{0, 16, 0, 0}, {0, 16, 0, 1}, {0, 10, 10, 2, 0, 6, 6, 3}}));
  const FlameLevels none = stacks.Draw(0);
  EXPECT_EQ(none.levels, (Levels{{0, 16, 0, 0}, {0, 16, 16, 1}}));
}

TEST(FlameLevelsTest, TheCallersOfAKeptFrameAreKept) {
  const FlameLevels flame = Stacks().Add({"a", "b", "c"}, 5).Add({"d"}, 5).Draw(3);
  EXPECT_EQ(flame.names, (Names{"total", "a", "other", "b", "c"})) << "of equal width, the callers come first";
}

TEST(FlameLevelsTest, BothSidesOfAComparisonHaveTheSameBars) {
  Stacks stacks;
  stacks.Add({"main", "a"}, 10, 1).Add({"main", "a"}, 4).Add({"main", "b"}, 6);
  const FlameLevels flame = MakeFlameLevels(stacks.profile, 0, 1, 100);
  EXPECT_EQ(flame.levels,
            (Levels{{0, 10, 0, 0, 10, 0, 0}, {0, 10, 0, 0, 10, 0, 1}, {0, 10, 10, 0, 4, 4, 2, 0, 0, 0, 0, 6, 6, 3}}));
  EXPECT_EQ(flame.total, 20);
  EXPECT_EQ(flame.base_total, 10);
  EXPECT_EQ(flame.event_total, 10);
}

TEST(FlameLevelsTest, ACallSiteKeepsTheStacksBelowIt) {
  Stacks stacks;
  stacks.Add({"main"}, 1).Add({"main", "a"}, 2).Add({"main", "a", "b"}, 4).Add({"main", "b"}, 8).Add({"a"}, 16);
  KeepCallSite({"main", "a"}, &stacks.profile);
  EXPECT_EQ(stacks.Draw().levels, (Levels{{0, 6, 0, 0}, {0, 6, 0, 1}, {0, 6, 2, 2}, {2, 4, 4, 3}}));
  KeepCallSite({}, &stacks.profile);
  EXPECT_EQ(stacks.Draw().total, 6);
}

}  // namespace
}  // namespace sparkprof
