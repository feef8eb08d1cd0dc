// SPDX-License-Identifier: Apache-2.0
// Tasks that take longer than the others of their stage: skew and straggler.
#include <gtest/gtest.h>

#include "analysis/testing/finding_test.h"

namespace sparkprof {
namespace {

class StragglerRulesTest : public StageFindingTest {};

TEST_F(StragglerRulesTest, AnUnequalShareOfTheDataIsSkew) {
  for (int64_t tid = 0; tid < 4; ++tid) {
    const size_t row = builder_.AddTask(tid, stage_, executor_, 0, tid == 2 ? 60 : 2, tid == 2 ? 58 : 1.5);
    tasks().Column(TaskMetric::kShuffleReadRecords)[row] = tid == 2 ? 90'000 : 1'000;
  }
  EXPECT_FALSE(Finds("straggler-3.0"));
  const Finding finding = Found("skew-3.0");
  EXPECT_EQ(finding.selection.tasks, std::vector<int64_t>{2});
  EXPECT_EQ(finding.severity, Severity::kHigh);
  EXPECT_EQ(finding.saving.likely_ns, ApplicationBuilder::Nanos(28));
  EXPECT_NE(finding.evidence.find("90,000 records read from the shuffle, median 1,000"), std::string::npos)
      << finding.evidence;
}

TEST_F(StragglerRulesTest, TasksThatWarmUpDoNotHideTheSkewedOne) {
  for (int64_t tid = 0; tid < 8; ++tid) {
    const double duration = tid < 2 ? 10 : tid == 5 ? 7 : 2;
    const size_t row = builder_.AddTask(tid, stage_, executor_, static_cast<double>(tid) * 10,
                                        tid == 5 ? 80 : static_cast<double>(tid) * 10 + duration, 1);
    tasks().Column(TaskMetric::kDuration)[row] = ApplicationBuilder::Nanos(duration);
    tasks().Column(TaskMetric::kShuffleReadRecords)[row] = tid == 5 ? 2'500'000 : 500'000;
  }
  EXPECT_EQ(Found("skew-3.0").selection.tasks, std::vector<int64_t>{5});
  EXPECT_FALSE(Finds("straggler-3.0"));
}

TEST_F(StragglerRulesTest, AStragglerWithEqualDataIsOneThatComputesOrWaits) {
  for (int64_t tid = 0; tid < 4; ++tid)
    builder_.AddTask(tid, stage_, executor_, 0, tid == 2 ? 60 : 2, tid == 2 ? 58 : 1.5);
  EXPECT_TRUE(Finds("straggler-3.0"));
  EXPECT_NE(Found("straggler-3.0").title.find("computes"), std::string::npos);
  tasks().Column(TaskMetric::kExecutorCpuTime)[2] = ApplicationBuilder::Nanos(1.5);
  EXPECT_NE(Found("straggler-3.0").title.find("waits"), std::string::npos);
  EXPECT_EQ(Found("straggler-3.0").selection.event, EventName(Event::kWall));
}

TEST_F(StragglerRulesTest, PartsOfTheInputThatKeepMoreRowsHaveNoHeavyKey) {
  for (int64_t tid = 0; tid < 4; ++tid) {
    const size_t row = builder_.AddTask(tid, stage_, executor_, 0, tid == 2 ? 60 : 2, 0);
    tasks().Column(TaskMetric::kShuffleWriteRecords)[row] = tid == 2 ? 90'000 : 1'000;
  }
  EXPECT_EQ(Found("skew-3.0").change.find("key"), std::string::npos) << Found("skew-3.0").change;
  EXPECT_EQ(Found("skew-3.0").evidence.find("CPU time"), std::string::npos) << "Spark counted none";
}

TEST_F(StragglerRulesTest, AFirstTaskThatLoadsItsCodeNamesTheJars) {
  const int32_t other = builder_.AddExecutor("2", 2);
  Set({{"spark.dynamicAllocation.enabled", "true"}});
  for (int64_t tid = 0; tid < 8; ++tid)
    builder_.AddTask(tid, stage_, executor_, static_cast<double>(tid / 2) * 2, static_cast<double>(tid / 2) * 2 + 2,
                     1.5);
  const size_t row = builder_.AddTask(8, stage_, other, 0, 30, 1.5);
  tasks().Column(TaskMetric::kDeserializeTime)[row] = ApplicationBuilder::Nanos(27);
  EXPECT_NE(Found("straggler-3.0").change.find("fetches and loads the application's jars"), std::string::npos);
}

TEST_F(StragglerRulesTest, ACopyThatLosesIsNoSecondStraggler) {
  for (int64_t tid = 0; tid < 5; ++tid)
    builder_.AddTask(tid, stage_, executor_, 0, tid < 3 ? 2 : 45 + static_cast<double>(tid) * 5, 0.5);
  EXPECT_FALSE(Finds("straggler-3.0"));
  tasks().speculative[3] = 1;
  tasks().outcome[3] = TaskOutcome::kKilled;
  EXPECT_EQ(Found("straggler-3.0").change.find("spark.speculation"), std::string::npos);
}

TEST_F(StragglerRulesTest, AStragglerInPythonIsTheCauseOfTheWaitForPython) {
  const StackId wait = builder_.AddStack(
      {"org.apache.spark.api.python.BasePythonRunner$ReaderIterator.hasNext", "sun.nio.ch.EPoll.wait"});
  for (int64_t tid = 1; tid <= 4; ++tid) {
    const double seconds = tid == 4 ? 50 : 2;
    const size_t row = builder_.AddTask(tid, stage_, executor_, 0, seconds, 0.1);
    tasks().Column(TaskMetric::kExecutorRunTime)[row] = ApplicationBuilder::Nanos(seconds);
    builder_.AddSample(Event::kWall, 3, worker_, tid, wait, ApplicationBuilder::Nanos(seconds)).state =
        ThreadState::kSleeping;
  }
  EXPECT_FALSE(Finds("python-bound-3.0"));
  EXPECT_NE(Found("straggler-3.0").evidence.find("symptom: tasks wait for Python"), std::string::npos);
  // The task is one of many that wait for Python.
  for (int64_t tid = 5; tid <= 60; ++tid) {
    constexpr double kEach = 1.7;
    const double begin = 4 + kEach * static_cast<double>(tid - 5);
    const size_t row = builder_.AddTask(tid, stage_, executor_, begin, begin + kEach, 0.1);
    tasks().Column(TaskMetric::kExecutorRunTime)[row] = ApplicationBuilder::Nanos(kEach);
  }
  EXPECT_TRUE(Finds("python-bound-3.0"));
}

TEST_F(StragglerRulesTest, CollectionsInTheTaskWithMostOfTheRowsAreSkew) {
  for (int64_t tid = 0; tid < 4; ++tid) {
    const size_t row = builder_.AddTask(tid, stage_, executor_, 0, tid == 2 ? 60 : 2, tid == 2 ? 38 : 1.5);
    tasks().Column(TaskMetric::kShuffleReadRecords)[row] = tid == 2 ? 90'000 : 1'000;
    if (tid == 2) tasks().Column(TaskMetric::kGcTime)[row] = ApplicationBuilder::Nanos(20);
  }
  EXPECT_FALSE(Finds("gc-3.0"));
  EXPECT_NE(Found("skew-3.0").evidence.find("symptom: GC takes 30.3% of task time"), std::string::npos)
      << Found("skew-3.0").evidence;
  // If all tasks have them, they are not a symptom.
  for (size_t row = 0; row < 4; ++row) {
    if (row != 2) {
      tasks().finish_ns[row] = ApplicationBuilder::Time(20);
      tasks().Column(TaskMetric::kDuration)[row] = ApplicationBuilder::Nanos(20);
      tasks().Column(TaskMetric::kExecutorRunTime)[row] = ApplicationBuilder::Nanos(20);
    }
    tasks().Column(TaskMetric::kGcTime)[row] = ApplicationBuilder::Nanos(15);
  }
  EXPECT_TRUE(Finds("gc-3.0"));
}

TEST_F(StragglerRulesTest, AFullSplitBesideTheEndsOfFilesIsNoSkew) {
  for (int64_t tid = 0; tid < 4; ++tid) {
    const size_t row = builder_.AddTask(tid, stage_, executor_, 0, tid == 2 ? 80 : 10, tid == 2 ? 78 : 9);
    tasks().Column(TaskMetric::kInputBytes)[row] = int64_t{tid == 2 ? 128 : 40} << 20;
  }
  EXPECT_FALSE(Finds("skew-3.0"));
  tasks().Column(TaskMetric::kInputBytes)[2] += 1;
  EXPECT_TRUE(Finds("skew-3.0"));
}

TEST_F(StragglerRulesTest, FirstTasksOfExecutorsThatAreAllSlowAreNoStragglers) {
  const int32_t second = builder_.AddExecutor("2", 2);
  for (int64_t tid = 0; tid < 4; ++tid)
    builder_.AddTask(tid, stage_, tid < 2 ? executor_ : second, 0, tid == 0 ? 10 : 4, 1);
  for (int64_t tid = 4; tid < 30; ++tid) builder_.AddTask(tid, stage_, tid % 2 == 0 ? executor_ : second, 4, 5, 1);
  EXPECT_FALSE(Finds("straggler-3.0"));
  tasks().Column(TaskMetric::kDuration)[0] = ApplicationBuilder::Nanos(12);
  tasks().finish_ns[0] = ApplicationBuilder::Time(12);
  EXPECT_TRUE(Finds("straggler-3.0")) << "three times the other first tasks";
}

TEST_F(StragglerRulesTest, TasksThatWarmUpDoNotHideTheStraggler) {
  for (int64_t tid = 0; tid < 12; ++tid) {
    const double duration = tid < 2 ? 20 : tid == 9 ? 15 : 2;
    const auto begin = static_cast<double>(tid / 2) * 20;
    builder_.AddTask(tid, stage_, executor_, begin, begin + duration, 1);
  }
  const Finding finding = Found("straggler-3.0");
  EXPECT_EQ(finding.selection.tasks, std::vector<int64_t>{9});
}

TEST_F(StragglerRulesTest, TheFirstTaskOfAStageOnEachCoreMayCompileItsCode) {
  for (int64_t tid = 0; tid < 4; ++tid) builder_.AddTask(tid, stage_, executor_, 0, 1, 1);
  const int32_t second = builder_.AddStage(4, 0, 0);
  for (int64_t tid = 10; tid < 30; ++tid)
    builder_.AddTask(tid, second, executor_, tid < 12 ? 2 : 10, tid < 12 ? 10 : 10.5, 0.4);
  EXPECT_FALSE(Finds("straggler-4.0"));
  tasks().Column(TaskMetric::kDuration)[5] = ApplicationBuilder::Nanos(0.5);
  tasks().finish_ns[5] = ApplicationBuilder::Time(2.5);
  EXPECT_TRUE(Finds("straggler-4.0")) << "one of them alone";
}

TEST_F(StragglerRulesTest, AStragglerThatEndsBeforeTheOthersStillKeepsACore) {
  builder_.AddTask(0, stage_, executor_, 0, 20, 1);
  for (int64_t tid = 1; tid < 12; ++tid)
    builder_.AddTask(tid, stage_, executor_, static_cast<double>(tid) * 2, static_cast<double>(tid) * 2 + 2, 1);
  const Finding finding = Found("straggler-3.0");
  EXPECT_EQ(finding.saving.likely_ns, ApplicationBuilder::Nanos(6.4));
}

TEST_F(StragglerRulesTest, AStragglerOnASlowHostNamesIt) {
  executor().host = "fast";
  const int32_t slow = builder_.AddExecutor("2", 2);
  application().executors[static_cast<size_t>(slow)].host = "slow";
  for (int64_t tid = 0; tid < 10; ++tid) builder_.AddTask(tid, stage_, executor_, 0, 2, 1.5);
  for (int64_t tid = 10; tid < 12; ++tid) builder_.AddTask(tid, stage_, slow, 0, 40, 1.5);
  const Finding finding = Found("straggler-3.0");
  EXPECT_NE(finding.title.find(", on the slow host slow"), std::string::npos) << finding.title;
}

TEST_F(StragglerRulesTest, AStragglerThatWaitsForBlocksIsNamedAfterThem) {
  for (int64_t tid = 0; tid < 4; ++tid) {
    const size_t row = builder_.AddTask(tid, stage_, executor_, 0, tid == 2 ? 60 : 2, 1.5);
    tasks().Column(TaskMetric::kShuffleFetchWait)[row] = tid == 2 ? ApplicationBuilder::Nanos(50) : 0;
  }
  const Finding finding = Found("straggler-3.0");
  EXPECT_NE(finding.title.find(", mostly for blocks of the shuffle"), std::string::npos) << finding.title;
}

}  // namespace
}  // namespace sparkprof
