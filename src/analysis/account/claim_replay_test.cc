// SPDX-License-Identifier: Apache-2.0
#include "analysis/account/claim_replay.h"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/testing/worked_example.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr Removal kAll{1, 1, 1};

class ClaimReplayTest : public testing::Test {
 protected:
  ClaimReplayTest()
      : stages_(SummarizeStages(example_.application(), KindsOfStacks(example_.application()))),
        run_(example_.application(), stages_),
        replay_(example_.application(), run_) {}

  // Seconds of a part of a stage's tasks; all of it.
  Claim Of(int32_t stage, AccountPart part, double seconds) const {
    return {.removal = kAll, .stages = {{stage, part, ApplicationBuilder::Nanos(seconds)}}};
  }

  static double Seconds(int64_t ns) { return std::round(static_cast<double>(ns) / kNanosPerMilli) / 1e3; }

  WorkedExample example_;
  const std::vector<StageSummary> stages_;
  const AccountedRun run_;
  ClaimReplay replay_;
};

TEST_F(ClaimReplayTest, APartOfTheTasksOfAStageSavesItsPartOfTheSchedule) {
  const Saving gc = replay_.SavingOf(Of(0, AccountPart::kGc, 16));
  EXPECT_EQ(Seconds(gc.likely_ns), 4) << "not the 16 s of four cores";
  const Saving python = replay_.SavingOf(Of(0, AccountPart::kPython, 12));
  EXPECT_EQ(Seconds(python.likely_ns), 3);
}

TEST_F(ClaimReplayTest, WhatIsBesideTheLongestTaskSavesNothing) {
  Claim small{.removal = kAll};
  for (uint32_t task = 41; task < 47; ++task) small.tasks.push_back({task, ApplicationBuilder::Nanos(0.4)});
  EXPECT_EQ(replay_.SavingOf(small).high_ns, 0);
}

TEST_F(ClaimReplayTest, WorkThatMovesToOtherTasksOfAStageIsStillDone) {
  const Claim split{.removal = kAll, .tasks = {{40, ApplicationBuilder::Nanos(30)}}, .is_moved = true};
  EXPECT_EQ(Seconds(replay_.SavingOf(split).likely_ns), 10);
}

TEST_F(ClaimReplayTest, ARangeOfTheEntryIsOneOfTheSaving) {
  const Saving saving = replay_.SavingOf({.removal = kMost, .stages = {{0, AccountPart::kCpu, 80 * kNanosPerSecond}}});
  EXPECT_EQ(Seconds(saving.low_ns), 8);
  EXPECT_EQ(Seconds(saving.likely_ns), 16);
  EXPECT_EQ(Seconds(saving.high_ns), 25) << "a quarter more may go with the claimed 20 s";
}

TEST_F(ClaimReplayTest, NothingIsSavedBeyondThePart) {
  EXPECT_EQ(Seconds(replay_.SavingOf(Of(0, AccountPart::kGc, 1000)).likely_ns), 4);
}

TEST_F(ClaimReplayTest, ClaimsOnTheSameTimeSaveItOnceTogether) {
  const Claim gc = Of(0, AccountPart::kGc, 16), python = Of(0, AccountPart::kPython, 12);
  EXPECT_EQ(Seconds(replay_.LeastOf({&gc, &python})), 7);
  const Claim tasks{.removal = kAll, .stages = {{0, std::nullopt, 120 * kNanosPerSecond}}};
  EXPECT_EQ(replay_.LeastOf({&tasks, &gc, &python}), replay_.LeastOf({&tasks}));
}

TEST_F(ClaimReplayTest, AnEstimateIsTheClaimedPartOfTheChain) {
  EXPECT_EQ(Seconds(replay_.EstimateOf(Of(0, AccountPart::kGc, 16)).likely_ns), 4);
  EXPECT_EQ(Seconds(replay_.EstimateOf({.removal = kAll, .wall_ns = kNanosPerSecond}).likely_ns), 1);
}

TEST_F(ClaimReplayTest, ClaimsShareWhatBothOfThemName) {
  const Claim gc = Of(1, AccountPart::kGc, 4.3), cpu = Of(1, AccountPart::kCpu, 81);
  Claim all = Of(1, AccountPart::kCpu, 100);
  all.stages[0].part = std::nullopt;
  EXPECT_EQ(replay_.SharedPart(gc, cpu), 0);
  EXPECT_EQ(replay_.SharedPart(gc, all), 1);
  const Claim heavy{.removal = kAll, .tasks = {{40, ApplicationBuilder::Nanos(30)}}};
  EXPECT_NEAR(replay_.SharedPart(gc, heavy), 1.9 / 4.3, 0.01);
}

}  // namespace
}  // namespace sparkprof
