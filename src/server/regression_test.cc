// SPDX-License-Identifier: Apache-2.0
#include "server/regression.h"

#include <gtest/gtest.h>

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

TEST(RegressionTest, EqualRunsAllowATenthThreeTimes) { EXPECT_EQ(RegressionLimit({100, 100, 100, 100, 100}), 130); }

TEST(RegressionTest, ValuesThatVaryAllowMore) {
  // Median 100, median distance 20.
  EXPECT_EQ(RegressionLimit({60, 80, 100, 120, 140}), 188);
}

TEST(RegressionTest, OneSlowRunBeforeRaisesTheLimit) {
  EXPECT_EQ(RegressionLimit({100, 100, 100, 100, 100, 1000}), 1000);
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
