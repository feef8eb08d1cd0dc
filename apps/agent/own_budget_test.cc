// SPDX-License-Identifier: Apache-2.0
#include "own_budget.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

constexpr int64_t kSecond = kNanosPerSecond;

TEST(OwnBudget, StretchesTheIntervalAboveItsBudgetAndShortensItBelowHalf) {
  OwnBudget budget;
  int64_t now = 5 * kSecond;
  int64_t cpu = 0;
  EXPECT_FALSE(budget.Update(now, cpu));
  const auto window = [&](int64_t used) { return budget.Update(now += OwnBudget::kWindowNs, cpu += used); };
  EXPECT_TRUE(window(2 * OwnBudget::kBudgetNs));
  EXPECT_EQ(budget.IntervalNs(), 2 * kSecond);
  EXPECT_NEAR(budget.UsedShare(), 0.02, 1e-9);
  for (int i = 0; i < 5; ++i) window(2 * OwnBudget::kBudgetNs);
  EXPECT_EQ(budget.IntervalNs(), OwnBudget::kLongestIntervalNs);
  EXPECT_FALSE(window(OwnBudget::kBudgetNs * 3 / 4));
  EXPECT_EQ(budget.IntervalNs(), OwnBudget::kLongestIntervalNs);
  for (int i = 0; i < 5; ++i) window(0);
  EXPECT_EQ(budget.IntervalNs(), OwnBudget::kShortestIntervalNs);
}

TEST(OwnBudget, JudgesWholeWindowsOnly) {
  OwnBudget budget;
  budget.Update(kSecond, 0);
  EXPECT_FALSE(budget.Update(2 * kSecond, kSecond));
  EXPECT_EQ(budget.IntervalNs(), kSecond);
}

TEST(OwnBudget, MeasuresThisProcess) {
  const int64_t before = OwnCpuNanos();
  while (OwnCpuNanos() == before) {
  }
  EXPECT_GT(OwnRssBytes(), 0);
}

}  // namespace
}  // namespace sparkprof
