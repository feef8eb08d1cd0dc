// SPDX-License-Identifier: Apache-2.0
#include "analysis/time/time_spent.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "analysis/testing/application_builder.h"

namespace sparkprof {
namespace {

class TimePartsTest : public testing::Test {
 protected:
  TimePartsTest() : executor_(builder_.AddExecutor("1", 2)), stage_(builder_.AddStage(3, 0, 0)) {}

  Tasks& tasks() { return builder_.application().tasks; }
  void Set(TaskMetric metric, size_t row, double seconds) {
    tasks().Column(metric)[row] = ApplicationBuilder::Nanos(seconds);
  }
  std::map<std::string, double> Parts() {
    std::map<std::string, double> parts;
    for (const TimePart& part : SplitTime(builder_.application()).parts)
      parts[part.name] = static_cast<double>(part.ns) / 1e9;
    return parts;
  }

  ApplicationBuilder builder_;  // 100 s
  const int32_t executor_;
  const int32_t stage_;
};

TEST_F(TimePartsTest, EveryPartIsThatOfItsMetric) {
  const size_t row = builder_.AddTask(1, stage_, executor_, 0, 50, 10);
  Set(TaskMetric::kDeserializeCpuTime, row, 1);
  Set(TaskMetric::kGcTime, row, 2);
  Set(TaskMetric::kShuffleFetchWait, row, 4);
  Set(TaskMetric::kSchedulerDelay, row, 5);
  Set(TaskMetric::kGettingResultTime, row, 3);
  EXPECT_EQ(Parts(), (std::map<std::string, double>{{"JVM CPU", 11},
                                                    {"GC", 2},
                                                    {"Shuffle wait", 4},
                                                    {"Scheduler", 8},
                                                    {"Python CPU", 0},
                                                    {"Disk, network and other waits", 25},
                                                    {"Idle cores", 150}}));
  EXPECT_EQ(SplitTime(builder_.application()).core_time_ns, ApplicationBuilder::Nanos(200));
}

TEST_F(TimePartsTest, TasksNeverTakeMoreThanTheCoresOfTheirExecutor) {
  for (int64_t task = 0; task < 3; ++task) builder_.AddTask(task, stage_, executor_, 0, 100, 10);
  const TimeSpent spent = SplitTime(builder_.application());
  EXPECT_EQ(spent.core_time_ns, ApplicationBuilder::Nanos(200));
  EXPECT_EQ(spent.parts.back().name, "Idle cores");
  EXPECT_EQ(spent.parts.back().ns, 0);
}

TEST_F(TimePartsTest, SamplesShowWaitsForLocksAndCpus) {
  const size_t row = builder_.AddTask(1, stage_, executor_, 0, 50, 10);
  Set(TaskMetric::kResultSerializationTime, row, 3);
  const uint32_t thread = builder_.AddThread(200, "Executor task launch worker-0", executor_);
  const StackId stack = builder_.AddStack({"com.example.Job.map"});
  builder_.AddSample(Event::kCpu, 1, thread, 1, stack, ApplicationBuilder::Nanos(10));
  builder_.AddSample(Event::kLock, 1, thread, 1, stack, ApplicationBuilder::Nanos(7));
  builder_.AddSample(Event::kWall, 1, thread, 1, stack, ApplicationBuilder::Nanos(30)).state = ThreadState::kRunning;
  builder_.AddSample(Event::kWall, 1, thread, 1, stack, ApplicationBuilder::Nanos(20)).state = ThreadState::kSleeping;
  const auto parts = Parts();
  EXPECT_EQ(parts.at("Serialization"), 3);
  EXPECT_EQ(parts.at("Waiting for locks"), 7);
  EXPECT_EQ(parts.at("Waiting for a CPU"), 20);
  EXPECT_EQ(parts.at("Disk, network and other waits"), 10);
  EXPECT_EQ(parts.at("Idle cores"), 150);
}

TEST_F(TimePartsTest, PartsAreNeverMoreThanTheTasksTime) {
  const size_t row = builder_.AddTask(1, stage_, executor_, 0, 10, 8);
  Set(TaskMetric::kGcTime, row, 5);
  Set(TaskMetric::kShuffleFetchWait, row, 5);
  const auto parts = Parts();
  EXPECT_EQ(parts.at("JVM CPU"), 8);
  EXPECT_EQ(parts.at("GC"), 2);
  EXPECT_EQ(parts.at("Shuffle wait"), 0);
  EXPECT_EQ(parts.at("Disk, network and other waits"), 0);
}

TEST_F(TimePartsTest, TasksThatNeverReportedCountTheirSamples) {
  builder_.AddTask(1, stage_, executor_, 0, 10, 8);
  const size_t running = builder_.AddTask(2, stage_, executor_, 0, 10, 9);
  EXPECT_FALSE(SplitTime(builder_.application()).parts[0].estimate);
  Set(TaskMetric::kExecutorRunTime, running, 0);
  tasks().Column(TaskMetric::kCpuSamples)[running] = 1;
  const TimeSpent spent = SplitTime(builder_.application());
  EXPECT_EQ(spent.parts[0].ns, ApplicationBuilder::Nanos(8) + 1);
  EXPECT_TRUE(spent.parts[0].estimate);
}

TEST_F(TimePartsTest, TasksWithoutMetricsHaveNoBreakdown) {
  const size_t row = builder_.AddTask(1, stage_, executor_, 0, 50, 0);
  Set(TaskMetric::kExecutorRunTime, row, 0);
  EXPECT_EQ(Parts(), (std::map<std::string, double>{{"Task time (no breakdown available)", 50}, {"Idle cores", 150}}));
}

TEST_F(TimePartsTest, WithoutACountOfCpuTimeTasksComputeOrWait) {
  Set(TaskMetric::kGcTime, builder_.AddTask(1, stage_, executor_, 0, 50, 0), 4);
  const auto parts = Parts();
  EXPECT_EQ(parts.count("JVM CPU"), 0u);
  EXPECT_EQ(parts.count("Disk, network and other waits"), 0u);
  EXPECT_EQ(parts.at("Computing or waiting (no CPU time counted)"), 46);
}

TEST_F(TimePartsTest, AnExecutorsCoresCountFromItsStartToItsEnd) {
  Executor& executor = builder_.application().executors[static_cast<size_t>(executor_)];
  executor.add_ns = ApplicationBuilder::Time(10);
  executor.remove_ns = ApplicationBuilder::Time(40);
  builder_.AddTask(1, stage_, executor_, 10, 20, 10);
  EXPECT_EQ(SplitTime(builder_.application()).core_time_ns, ApplicationBuilder::Nanos(60));
  EXPECT_EQ(Parts().at("Idle cores"), 50);
  executor.add_ns = 0;
  executor.remove_ns = 0;
  EXPECT_EQ(SplitTime(builder_.application()).core_time_ns, ApplicationBuilder::Nanos(200));
}

TEST_F(TimePartsTest, CoresThatNobodyStatedAreAsManyAsTasksRanAtOnce) {
  builder_.application().executors[static_cast<size_t>(executor_)].cores = 0;
  for (int64_t tid = 0; tid < 3; ++tid) builder_.AddTask(tid, stage_, executor_, 10, 20, 10);
  builder_.AddTask(3, stage_, executor_, 30, 40, 10);
  EXPECT_EQ(CoresOf(builder_.application()), (std::vector<int64_t>{3}));
}

TEST(SharesTest, TenthsOfAPercentAddUpToTheWhole) {
  EXPECT_EQ(SharesAddingUp({1, 1, 1}), (std::vector<double>{0.334, 0.333, 0.333}));
  EXPECT_EQ(SharesAddingUp({6, 3, 0, 1}), (std::vector<double>{0.6, 0.3, 0, 0.1}));
  EXPECT_EQ(SharesAddingUp({0, 0}), (std::vector<double>{0, 0}));
  EXPECT_EQ(SharesAddingUp({2, 9997, 1}), (std::vector<double>{0, 1, 0}));
}

TEST_F(TimePartsTest, ThereIsNoneWithoutTasksAndCores) {
  builder_.application().executors[static_cast<size_t>(executor_)].cores = 0;
  EXPECT_TRUE(SplitTime(builder_.application()).parts.empty());
}

}  // namespace
}  // namespace sparkprof
