// SPDX-License-Identifier: Apache-2.0
#include "analysis/selection/time_range.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

void ExpectRange(const Application& application, int64_t start_ns, int64_t end_ns) {
  const TimeRange range = RangeOf(application);
  EXPECT_EQ(range.start_ns, start_ns);
  EXPECT_EQ(range.end_ns, end_ns);
  EXPECT_EQ(range.Duration(), end_ns - start_ns);
}

TEST(TimeRange, SparksOwnTimesCountWhereTheyAreKnown) {
  Application application;
  ExpectRange(application, 0, 0);
  application.start_ns = 100;
  application.end_ns = 100;
  application.jobs.emplace_back().end_ns = 900;
  ExpectRange(application, 100, 100);
  application.end_ns = 99;
  ExpectRange(application, 100, 900);
  application.start_ns = 0;
  application.end_ns = 950;
  ExpectRange(application, 900, 950);
}

TEST(TimeRange, OtherwiseItIsThatOfJobsStagesTasksSeriesAndSamples) {
  Application jobs;
  jobs.jobs.emplace_back().submit_ns = 50;
  jobs.jobs.emplace_back().end_ns = 70;
  ExpectRange(jobs, 50, 70);
  Application stages;
  stages.stages.emplace_back().end_ns = 80;
  stages.stages.emplace_back().submit_ns = 40;
  ExpectRange(stages, 40, 80);
  Application series;
  series.series.emplace_back();
  series.series.emplace_back().points = {{30, 1}, {500, 1}, {90, 1}};
  ExpectRange(series, 30, 90);
  Application samples;
  samples.profile.bucket_ns = 7;
  Sample sample;
  sample.time_ns = 20;
  samples.profile.samples = {sample};
  sample.time_ns = kNoTime;
  samples.profile.samples.push_back(sample);
  ExpectRange(samples, 20, 27);
}

TEST(TimeRange, LogsCountOnlyWhereNothingElseHasATime) {
  Application application;
  application.logs.time_ns = {300, 0, 200};
  ExpectRange(application, 200, 300);
  application.jobs.emplace_back().submit_ns = 250;
  ExpectRange(application, 250, 250);
  Application ended;
  ended.end_ns = 400;
  ExpectRange(ended, 400, 400);
}

TEST(TimeRange, AForeignProfileMayCountFromAnyTime) {
  Application application;
  application.is_foreign = true;
  application.end_ns = 60;
  application.jobs.emplace_back().submit_ns = 50;
  ExpectRange(application, 0, 60);
}

TEST(TimeRange, SamplesBeforeTheStartAreAtIt) {
  Sample sample;
  sample.time_ns = 130;
  EXPECT_EQ(SinceStart({100, 200}, sample), 30);
  sample.time_ns = 100;
  EXPECT_EQ(SinceStart({100, 200}, sample), 0);
  sample.time_ns = 99;
  EXPECT_EQ(SinceStart({100, 200}, sample), 0);
}

}  // namespace
}  // namespace sparkprof
