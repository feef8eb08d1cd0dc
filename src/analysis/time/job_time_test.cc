// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "analysis/time/timeline.h"

namespace sparkprof {
namespace {

TEST(JobTimeTest, JobsThatRunAtOnceCountOnceAndARunningOneUntilTheEnd) {
  Application application;
  application.jobs = {{.submit_ns = 10, .end_ns = 30}, {.submit_ns = 20, .end_ns = 40}, {.submit_ns = 0, .end_ns = 90}};
  EXPECT_EQ(JobTimes(application).Between(0, 100), 30);
  EXPECT_EQ(JobTimes(application).Between(25, 35), 10);
  EXPECT_EQ(JobTimes(application).Between(50, 60), 0);
  application.jobs.push_back({.submit_ns = 25, .end_ns = 5});
  EXPECT_EQ(JobTimes(application).Between(0, 100), 30) << "it ends before it begins";
  application.jobs.push_back({.submit_ns = 70});
  EXPECT_EQ(JobTimes(application).Between(50, 100), 30);
  EXPECT_EQ(JobTimes(application).Between(50, 60), 0) << "it begins later";
}

}  // namespace
}  // namespace sparkprof
