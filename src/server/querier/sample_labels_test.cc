// SPDX-License-Identifier: Apache-2.0
#include "server/querier/sample_labels.h"

#include <gtest/gtest.h>

#include <string>

#include "analysis/testing/application_builder.h"

namespace sparkprof {
namespace {

constexpr int64_t kStart = ApplicationBuilder::kStart;

// CPU time of the matching samples. Every weight of the example is a different power of two.
int64_t CpuOf(std::string_view selector, int64_t from_ns = 0, int64_t to_ns = INT64_MAX) {
  const Application application = ExampleApplication();
  const Result<LabelMatchers> matchers = ParseSelector(selector);
  EXPECT_TRUE(matchers) << matchers.error().message;
  const SampleLabels labels(application);
  const EventId event = application.profile.Row(Event::kCpu);
  int64_t weight = 0;
  for (const uint32_t row : FindSamples(application, {event, from_ns, to_ns}, SampleFilter(*matchers, labels))) {
    weight += application.profile.samples[row].weight;
  }
  return weight;
}

TEST(SampleLabelsTest, SamplesHaveTheStageJobAndQueryOfTheirTask) {
  EXPECT_EQ(CpuOf("{}"), 127'000);
  EXPECT_EQ(CpuOf("{stage=\"0\"}"), 7'000);
  EXPECT_EQ(CpuOf("{stage=\"1\"}"), 24'000) << "all attempts";
  EXPECT_EQ(CpuOf("{job=\"0\"}"), 7'000);
  EXPECT_EQ(CpuOf("{job=\"1\"}"), 24'000) << "the first job that needed a stage has its samples";
  EXPECT_EQ(CpuOf("{sql=\"5\"}"), 24'000);
  EXPECT_EQ(CpuOf("{stage=\"\"}"), 96'000) << "outside of tasks";
  EXPECT_EQ(CpuOf("{stage=~\"0|1\",sql=\"\"}"), 7'000);
  EXPECT_EQ(CpuOf("{stage=\"2\"}"), 0);
}

TEST(SampleLabelsTest, SamplesHaveTheExecutorAndGroupOfTheirThread) {
  EXPECT_EQ(CpuOf("{executor=\"driver\"}"), 32'000);
  EXPECT_EQ(CpuOf("{executor!=\"driver\"}"), 95'000);
  EXPECT_EQ(CpuOf("{host=\"host-a\"}"), 127'000);
  EXPECT_EQ(CpuOf("{thread_group=\"jit\"}"), 64'000);
  EXPECT_EQ(CpuOf("{thread_group=\"task\"}"), 31'000);
}

TEST(SampleLabelsTest, LabelsOfApplicationsAreLeftToTheCatalogue) {
  EXPECT_EQ(CpuOf("{service_name=\"x\",unknown=\"y\"}"), 127'000);
}

TEST(SampleLabelsTest, ARangeIncludesBothItsEnds) {
  EXPECT_EQ(CpuOf("{}", kStart + 2 * kNanosPerSecond, kStart + 3 * kNanosPerSecond), 6'000);
  EXPECT_EQ(CpuOf("{}", kStart + 2 * kNanosPerSecond + 1, kStart + 3 * kNanosPerSecond), 4'000);
}

TEST(SampleLabelsTest, SamplesWithoutATimeCountForTheStart) {
  Application application = ExampleApplication();
  application.profile.samples.resize(1);
  application.profile.samples[0].time_ns = kNoTime;
  const SampleLabels labels(application);
  const SampleFilter all({}, labels);
  EXPECT_EQ(FindSamples(application, {std::nullopt, kStart, kStart}, all).size(), 1u);
  EXPECT_EQ(FindSamples(application, {std::nullopt, kStart + 1, INT64_MAX}, all).size(), 0u);
}

TEST(SampleLabelsTest, IdlePoolThreadsAreLeftOut) {
  const Application application = ExampleApplication();
  const SampleLabels labels(application);
  const EventId wall = application.profile.Row(Event::kWall);
  EXPECT_EQ(FindSamples(application, {wall}, SampleFilter({}, labels)).size(), 1u);
}

}  // namespace
}  // namespace sparkprof
