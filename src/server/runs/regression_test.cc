// SPDX-License-Identifier: Apache-2.0
#include "server/runs/regression.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

namespace sparkprof {
namespace {

ApplicationRow RunOf(int64_t duration_ns, int64_t cpu_ns) {
  ApplicationRow row;
  row.start_ns = 1000;
  row.end_ns = row.start_ns + duration_ns;
  row.cpu_ns = cpu_ns;
  return row;
}

TEST(RegressionTest, FewRunsHaveNoLimit) {
  EXPECT_FALSE(RegressionLimit({}));
  EXPECT_FALSE(RegressionLimit({100, 100, 100, 100}));
}

TEST(RegressionTest, EqualRunsAllowThirtyPercent) { EXPECT_EQ(RegressionLimit({100, 100, 100, 100, 100}), 130); }

TEST(RegressionTest, ValuesThatVaryAllowMore) {
  // The median is 100, the median distance 20.
  EXPECT_EQ(RegressionLimit({60, 80, 100, 120, 140}), 248);
}

TEST(RegressionTest, OneSlowRunBeforeRaisesTheLimit) {
  EXPECT_EQ(RegressionLimit({100, 100, 100, 100, 100, 1000}), 1000);
}

TEST(RegressionTest, TwiceTheTimeOfSixCloseRunsRegresses) {
  const std::optional<int64_t> limit = RegressionLimit({700, 800, 720, 780, 740, 760});
  ASSERT_TRUE(limit);
  EXPECT_LT(*limit, 1600);
  EXPECT_GT(*limit, 900);
}

TEST(RegressionTest, NoiseRegressesRarely) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (const double deviation : {0.05, 0.1, 0.2}) {
    int found = 0;
    constexpr int kSeries = 10'000;
    for (int i = 0; i < kSeries; ++i) {
      const auto value = [&] { return static_cast<int64_t>(1e6 * std::exp(deviation * normal(random))); };
      std::vector<int64_t> earlier(5 + static_cast<size_t>(i) % 6);
      std::generate(earlier.begin(), earlier.end(), value);
      found += value() > *RegressionLimit(earlier) ? 1 : 0;
    }
    EXPECT_LT(found, kSeries / 50) << deviation;
    RecordProperty("of_10000_with_" + std::to_string(deviation), found);
  }
}

TEST(RegressionTest, DurationAndCpuAreComparedEachForItself) {
  const std::vector<ApplicationRow> earlier(10, RunOf(100, 1000));
  EXPECT_TRUE(FindRegressions(RunOf(130, 1300), earlier).empty());
  EXPECT_EQ(FindRegressions(RunOf(131, 1000), earlier), (std::vector<Regression>{{"duration", 131, 100, 10}}));
  EXPECT_EQ(FindRegressions(RunOf(100, 2000), earlier), (std::vector<Regression>{{"cpu", 2000, 1000, 10}}));
}

TEST(RegressionTest, ARunThatEndedBeforeItsStartTookNoTime) {
  EXPECT_TRUE(FindRegressions(RunOf(-100, 0), std::vector<ApplicationRow>(10, RunOf(100, 100))).empty());
}

}  // namespace
}  // namespace sparkprof
