// SPDX-License-Identifier: Apache-2.0
#include "profiles/profile_diff.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/samples/profile_builder.h"

namespace sparkprof {
namespace {

struct Row {
  std::vector<std::string_view> stack;
  int64_t weight;
  int64_t count;
};

Profile Input(const std::vector<Row>& rows, FrameKind kind = FrameKind::kUnknown) {
  ProfileBuilder builder({.name = "x"});
  builder.AddEvent("other", "bytes");
  const EventId cpu = builder.AddEvent("cpu", "ns");
  for (const Row& row : rows) {
    StackId stack = 0;
    for (const std::string_view name : row.stack)
      stack = builder.profile().stacks.Push(stack, builder.AddFrame(name, kind));
    builder.Add({.stack = stack, .event = cpu, .weight = row.weight, .count = row.count});
    builder.Add({.stack = stack, .event = 0, .weight = 1'000'000, .count = 1});
  }
  return builder.Take();
}

ProfileDiff Diff(const std::vector<Row>& before, const std::vector<Row>& after, bool normalize = false) {
  return Compare(PutTogether(Input(before), 1, Input(after), 1, normalize), normalize);
}

const FrameChange& Of(const ProfileDiff& diff, std::string_view label) {
  for (const FrameChange& change : diff.changes) {
    if (change.label == label) return change;
  }
  static const FrameChange kNone;
  ADD_FAILURE() << label << " is not in the table";
  return kNone;
}

TEST(ProfileDiffTest, WithoutCountsOfSamplesTheConfidenceIsUnknown) {
  const Profile counted = Input({{{"main", "a"}, 500'000'000, 50}});
  Profile uncounted = Input({{{"main", "a"}, 520'000'000, 520'000'000}});
  uncounted.events[1].has_counts = false;
  uncounted.events[1].unit = "count";
  for (const bool normalize : {false, true}) {
    const std::pair<const Profile*, const Profile*> sides[] = {{&counted, &uncounted}, {&uncounted, &counted}};
    for (const auto& [before, after] : sides) {
      const ProfileDiff diff = Compare(PutTogether(*before, 1, *after, 1, normalize), normalize);
      EXPECT_FALSE(diff.counts_samples);
      for (const FrameChange& change : diff.changes) EXPECT_EQ(change.confidence, 0);
    }
  }
  EXPECT_TRUE(Compare(PutTogether(counted, 1, counted, 1, false), false).counts_samples);
  const Profile weighed = Input({{{"main", "a"}, 500'000'000, 0}});
  EXPECT_FALSE(Compare(PutTogether(counted, 1, weighed, 1, false), false).counts_samples);
}

TEST(ProfileDiffTest, ChangesAreSharesOfTheTotalBefore) {
  const ProfileDiff diff = Diff({{{"main", "a"}, 60, 6}, {{"main", "b"}, 40, 4}},
                                {{{"main", "a"}, 30, 3}, {{"main", "b"}, 60, 6}, {{"main"}, 20, 2}});
  EXPECT_EQ(diff.before.weight, 100);
  EXPECT_EQ(diff.after.weight, 110);
  EXPECT_DOUBLE_EQ(Of(diff, "main").change, 0.1);
  EXPECT_DOUBLE_EQ(Of(diff, "main").self_change, 0.2);
  EXPECT_DOUBLE_EQ(Of(diff, "a").change, -0.3);
  EXPECT_DOUBLE_EQ(Of(diff, "b").change, 0.2);
  EXPECT_EQ(Of(diff, "a").weight.base_total.weight, 60);
  EXPECT_EQ(Of(diff, "a").weight.total.weight, 30);
}

TEST(ProfileDiffTest, TheLargestChangeIsFirstWhetherGainedOrLost) {
  const ProfileDiff diff = Diff({{{"a"}, 60, 6}, {{"b"}, 40, 4}, {{"d"}, 10, 1}, {{"c"}, 10, 1}},
                                {{{"a"}, 30, 3}, {{"b"}, 60, 6}, {{"d"}, 15, 1}, {{"c"}, 15, 1}});
  std::vector<std::string> labels;
  for (const FrameChange& change : diff.changes) labels.push_back(change.label);
  EXPECT_EQ(labels, (std::vector<std::string>{"a", "b", "c", "d"})) << "by label where they are equal";
}

TEST(ProfileDiffTest, NormalizedWeightsAreScaledToTheTotalAfter) {
  const ProfileDiff diff = Diff({{{"a"}, 10, 10}, {{"b"}, 30, 30}}, {{{"a"}, 40, 40}, {{"b"}, 40, 40}}, true);
  EXPECT_EQ(diff.before.weight, 80);
  EXPECT_EQ(diff.before.count, 40);
  EXPECT_EQ(Of(diff, "a").weight.base_total.weight, 20);
  EXPECT_DOUBLE_EQ(Of(diff, "a").change, 0.25);
  EXPECT_DOUBLE_EQ(Of(diff, "b").change, -0.25);
  const ProfileDiff plain = Diff({{{"a"}, 10, 10}, {{"b"}, 30, 30}}, {{{"a"}, 40, 40}, {{"b"}, 40, 40}});
  EXPECT_EQ(Of(plain, "a").weight.base_total.weight, 10);
}

TEST(ProfileDiffTest, AnEmptyProfileBeforeOrAfterIsCompared) {
  const ProfileDiff gained = Diff({}, {{{"a"}, 10, 10}}, true);
  EXPECT_DOUBLE_EQ(Of(gained, "a").change, 1);
  EXPECT_EQ(Of(gained, "a").confidence, 0);
  const ProfileDiff lost = Diff({{{"a"}, 10, 10}}, {}, false);
  EXPECT_DOUBLE_EQ(Of(lost, "a").change, -1);
  EXPECT_TRUE(Diff({}, {}).changes.empty());
}

TEST(ProfileDiffTest, ConfidenceIsThatOfANormallyDistributedDifference) {
  // 100 before and 120 after: 20 / sqrt(220) deviations.
  EXPECT_NEAR(Of(Diff({{{"a"}, 100, 100}}, {{{"a"}, 120, 120}}), "a").confidence, 0.8225, 0.0005);
  // 30 and 50 of 100: pooled 0.4, deviation sqrt(0.24 * 0.02).
  const ProfileDiff shares = Diff({{{"a"}, 30, 30}, {{"b"}, 70, 70}}, {{{"a"}, 50, 50}, {{"b"}, 50, 50}}, true);
  EXPECT_NEAR(Of(shares, "a").confidence, 0.9961, 0.0005);
  EXPECT_EQ(Of(Diff({{{"a"}, 5, 5}}, {{{"a"}, 5, 5}}), "a").confidence, 0);
  EXPECT_EQ(Of(Diff({{{"a"}, 5, 0}}, {{{"a"}, 7, 0}}), "a").confidence, 0) << "no samples";
  EXPECT_EQ(Of(Diff({{{"a"}, 5, 5}}, {{{"a"}, 9, 9}}, true), "a").confidence, 0) << "the whole of both";
}

TEST(ProfileDiffTest, FramesAreEqualWhereTheirLabelsAre) {
  const Profile before = Input({{{"main", "f"}, 10, 1}}, FrameKind::kJit);
  const Profile after = Input({{{"main", "f"}, 15, 1}}, FrameKind::kUnknown);
  const Profile together = PutTogether(before, 1, after, 1, false);
  const ProfileDiff diff = Compare(together, false);
  ASSERT_EQ(diff.changes.size(), 2u);
  EXPECT_EQ(Of(diff, "f").weight.base_total.weight, 10);
  EXPECT_EQ(Of(diff, "f").weight.total.weight, 15);
  EXPECT_EQ(together.frames.Get(Of(diff, "f").weight.frame).kind, FrameKind::kJit) << "the kind that is known";
  EXPECT_EQ(together.events[0].name, "before");
  EXPECT_EQ(together.events[1].unit, "ns");
  EXPECT_EQ(together.default_event, 1u);
}

}  // namespace
}  // namespace sparkprof
