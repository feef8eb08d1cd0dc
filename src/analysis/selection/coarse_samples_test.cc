// SPDX-License-Identifier: Apache-2.0
#include "analysis/selection/coarse_samples.h"

#include <gtest/gtest.h>

#include <map>

#include "analysis/testing/application_builder.h"

namespace sparkprof {
namespace {

std::map<std::pair<EventId, uint32_t>, int64_t> WeightByEventAndTask(const std::vector<Sample>& samples) {
  std::map<std::pair<EventId, uint32_t>, int64_t> sums;
  for (const Sample& sample : samples) sums[{sample.event, sample.task}] += sample.weight;
  return sums;
}

TEST(ReportSamplesTest, KeepsEveryWeightAtEveryStep) {
  const Application application = ExampleApplication();
  const auto expected = WeightByEventAndTask(application.profile.samples);
  for (const Coarseness& step : CoarsenessSteps(application)) {
    const CoarseSamples samples = Coarsen(application, step);
    EXPECT_EQ(WeightByEventAndTask(samples.rows), expected);
    for (size_t row = 1; row < samples.stacks.size(); ++row) {
      EXPECT_LT(samples.stacks[row].parent, row);
      EXPECT_LT(samples.stacks[row].frame, samples.frames.size());
    }
  }
}

TEST(ReportSamplesTest, WiderBucketsMergeRows) {
  ApplicationBuilder builder;
  builder.AddThread(1, "main", builder.AddExecutor("driver", 1));
  const StackId stack = builder.AddStack({"f"});
  for (int64_t second = 0; second < 60; ++second) builder.AddSample(Event::kCpu, second, 1, kNoTask, stack, 1);
  const Application& application = builder.application();
  EXPECT_EQ(Coarsen(application, {1 * kNanosPerSecond, 0}).rows.size(), 60u);
  EXPECT_EQ(Coarsen(application, {10 * kNanosPerSecond, 0}).rows.size(), 6u);
}

TEST(ReportSamplesTest, SmallStacksAreFoldedBelowTheirCaller) {
  ApplicationBuilder builder;
  builder.AddThread(1, "main", builder.AddExecutor("driver", 1));
  builder.AddSample(Event::kCpu, 0, 1, kNoTask, builder.AddStack({"root", "large"}), 10'000);
  builder.AddSample(Event::kCpu, 0, 1, kNoTask, builder.AddStack({"root", "small", "deep"}), 1);
  builder.AddSample(Event::kCpu, 0, 1, kNoTask, builder.AddStack({"root", "tiny"}), 2);
  const Application& application = builder.application();
  const CoarseSamples samples = Coarsen(application, {kNanosPerSecond, 1e-3});
  ASSERT_EQ(samples.stacks.size(), 4u);  // nothing, root, large, [other]
  ASSERT_EQ(samples.rows.size(), 2u);
  EXPECT_EQ(samples.frames.back(), kOtherFrame);
  EXPECT_EQ(samples.rows.back().weight, 3);
}

TEST(ReportSamplesTest, AStackWithExactlyTheLeastShareIsKept) {
  ApplicationBuilder builder;
  builder.AddThread(1, "main", builder.AddExecutor("driver", 1));
  builder.AddSample(Event::kCpu, 0, 1, kNoTask, builder.AddStack({"root", "large"}), 989);
  builder.AddSample(Event::kCpu, 0, 1, kNoTask, builder.AddStack({"root", "exact"}), 10);
  builder.AddSample(Event::kCpu, 0, 1, kNoTask, builder.AddStack({"root", "below"}), 1);
  builder.AddSample(Event::kCpu, 0, 1, kNoTask, 0, 0);  // without a stack
  const CoarseSamples samples = Coarsen(builder.application(), {kNanosPerSecond, 1e-2});
  EXPECT_EQ(samples.stacks.size(), 5u);  // nothing, root, large, exact, [other]
  EXPECT_EQ(samples.rows.size(), 4u);
}

TEST(ReportSamplesTest, AStackIsKeptForAnyEvent) {
  ApplicationBuilder builder;
  builder.AddThread(1, "main", builder.AddExecutor("driver", 1));
  const StackId small = builder.AddStack({"small"});
  builder.AddSample(Event::kCpu, 0, 1, kNoTask, builder.AddStack({"large"}), 1'000'000);
  builder.AddSample(Event::kCpu, 0, 1, kNoTask, small, 1);
  EXPECT_EQ(Coarsen(builder.application(), {kNanosPerSecond, 1e-2}).frames.back(), kOtherFrame);
  builder.AddSample(Event::kAlloc, 0, 1, kNoTask, small, 1);
  EXPECT_NE(Coarsen(builder.application(), {kNanosPerSecond, 1e-2}).frames.back(), kOtherFrame);
}

TEST(ReportSamplesTest, StepsWidenTheBucketsFirst) {
  ApplicationBuilder builder;
  std::vector<std::pair<int64_t, double>> steps;
  for (const Coarseness& step : CoarsenessSteps(builder.application())) {
    steps.emplace_back(step.bucket_ns / kNanosPerSecond, step.min_share);
  }
  EXPECT_EQ(steps, (std::vector<std::pair<int64_t, double>>{{1, 0},
                                                            {2, 0},
                                                            {5, 0},
                                                            {10, 0},
                                                            {30, 0},
                                                            {60, 0},
                                                            {60, 1e-6},
                                                            {60, 1e-5},
                                                            {60, 1e-4},
                                                            {60, 1e-3},
                                                            {60, 1e-2}}));
  builder.application().profile.bucket_ns = 20 * kNanosPerMilli;
  EXPECT_EQ(CoarsenessSteps(builder.application())[1].bucket_ns, 100 * kNanosPerMilli);
  builder.application().profile.bucket_ns = 5 * kNanosPerSecond;
  EXPECT_EQ(CoarsenessSteps(builder.application())[1].bucket_ns, 10 * kNanosPerSecond);
}

TEST(ReportSamplesTest, TheSizeIsEstimatedFromItsTables) {
  CoarseSamples samples;
  EXPECT_EQ(EstimateEmbeddedSize(samples), 0u);
  samples.rows.resize(100);
  EXPECT_EQ(EstimateEmbeddedSize(samples), 400u);
  samples.stacks.resize(200);
  EXPECT_EQ(EstimateEmbeddedSize(samples), 1333u);
  samples.frames.resize(100);
  EXPECT_EQ(EstimateEmbeddedSize(samples), 2933u);
}

TEST(ReportSamplesTest, SaysWhatWasGivenUp) {
  const Application application = ExampleApplication();
  EXPECT_EQ(DescribeCoarseness(application, CoarsenessSteps(application).front()), "");
  EXPECT_EQ(DescribeCoarseness(application, {10 * kNanosPerSecond, 0}),
            "To keep the report small, the time resolution is 10.0 s instead of 1.0 s.");
  EXPECT_NE(DescribeCoarseness(application, {60 * kNanosPerSecond, 1e-4})
                .find("and stacks with less than 0.01% of the weight"),
            std::string::npos);
}

TEST(ReportSamplesTest, TheEstimateOfRowsIsNearTheirNumber) {
  ApplicationBuilder builder;
  for (int64_t tid = 1; tid <= 2'000; ++tid)
    builder.AddThread(tid, "worker", tid == 1 ? builder.AddExecutor("1", 1) : 0);
  const StackId stack = builder.AddStack({"f"});
  for (int64_t tid = 1; tid <= 2'000; ++tid) {
    for (int64_t second = 0; second < 20; ++second) builder.AddSample(Event::kCpu, second, tid, kNoTask, stack, 1);
  }
  const Application& application = builder.application();
  EXPECT_NEAR(static_cast<double>(EstimateRows(application, {kNanosPerSecond, 0})), 40'000, 20'000);
  EXPECT_NEAR(static_cast<double>(EstimateRows(application, {10 * kNanosPerSecond, 0})), 4'000, 2'000);
}

}  // namespace
}  // namespace sparkprof
