// SPDX-License-Identifier: Apache-2.0
#include "model/segment/counter_steps.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

constexpr int64_t kGap = 100;

std::vector<double> Steps(const std::vector<SeriesPoint>& points, const TimeSteps& of) {
  std::vector<double> steps;
  AddGrowth(points, of, kGap, &steps);
  return steps;
}

TEST(CounterStepsTest, GrowthIsSpreadEvenlyBetweenItsPoints) {
  EXPECT_EQ(Steps({{0, 10}, {40, 50}}, {0, 40, 4}), (std::vector<double>{10, 10, 10, 10}));
  EXPECT_EQ(Steps({{5, 0}, {15, 20}}, {0, 20, 2}), (std::vector<double>{10, 10}));
}

TEST(CounterStepsTest, OnlyGrowthWithinTheStepsCounts) {
  EXPECT_EQ(Steps({{-50, 0}, {50, 100}}, {0, 20, 2}), (std::vector<double>{10, 10}));
  EXPECT_EQ(Steps({{30, 0}, {50, 100}}, {0, 20, 2}), (std::vector<double>{0, 0}));
}

TEST(CounterStepsTest, ARestartIsNotNegative) {
  EXPECT_EQ(Steps({{0, 100}, {10, 0}, {20, 7}}, {0, 20, 2}), (std::vector<double>{0, 7}));
}

TEST(CounterStepsTest, NobodyKnowsWhenACounterGrewInALongGap) {
  EXPECT_EQ(GrowthBetween(std::vector<SeriesPoint>{{0, 0}, {kGap + 1, 500}}, 0, 200, kGap), 0);
  EXPECT_EQ(GrowthBetween(std::vector<SeriesPoint>{{0, 0}, {kGap, 500}}, 0, 200, kGap), 500);
}

}  // namespace
}  // namespace sparkprof
