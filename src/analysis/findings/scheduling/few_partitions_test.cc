// SPDX-License-Identifier: Apache-2.0
// Numbers of tasks (few-partitions) and copies of tasks (speculation).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/testing/finding_test.h"

namespace sparkprof {
namespace {

constexpr int64_t kSecond = kNanosPerSecond;

class FewPartitionsTest : public StageFindingTest {
 protected:
  FewPartitionsTest() : StageFindingTest(4) {}
};

TEST_F(FewPartitionsTest, ALongStageWithTasksForHalfOfTheCoresHasFewPartitions) {
  builder_.AddTask(1, stage_, executor_, 0, 10, 10);
  builder_.AddTask(2, stage_, executor_, 0, 10, 10);
  const Finding finding = Found("few-partitions");
  EXPECT_EQ(Weighed(finding), "medium, saves 4.0 s (2.0 s to 6.2 s); cpu of stage 3; the longest task took 10.0 s");
  EXPECT_EQ(finding.title, "Stage 3: 2 tasks for 4 cores");
  EXPECT_EQ(finding.saving.likely_ns, ApplicationBuilder::Nanos(4));
  EXPECT_EQ(finding.frames, std::vector<std::string>{"count at Job.scala:12"});
  builder_.AddTask(3, stage_, executor_, 0, 10, 10);
  EXPECT_FALSE(Finds("few-partitions"));
}

TEST_F(FewPartitionsTest, StagesAtTheSameTimeShareTheCores) {
  const int32_t other = builder_.AddStage(4, 0, 0);
  for (int64_t tid = 0; tid < 4; ++tid) builder_.AddTask(tid, tid < 2 ? stage_ : other, executor_, 0, 10, 10);
  EXPECT_FALSE(Finds("few-partitions"));
  for (const size_t row : {size_t{2}, size_t{3}}) {
    tasks().launch_ns[row] = ApplicationBuilder::Time(20);
    tasks().finish_ns[row] = ApplicationBuilder::Time(30);
  }
  EXPECT_NE(Found("few-partitions").what.find("and 2 cores had nothing to do"), std::string::npos);
}

TEST_F(FewPartitionsTest, WhatEachTaskNeedsToStartIsNotDividedByMorePartitions) {
  application().end_ns = ApplicationBuilder::Time(10);
  const size_t row = builder_.AddTask(1, stage_, executor_, 0, 7, 2);
  EXPECT_TRUE(Finds("few-partitions"));
  tasks().Column(TaskMetric::kExecutorRunTime)[row] = ApplicationBuilder::Nanos(1.9);
  EXPECT_FALSE(Finds("few-partitions"));
}

TEST_F(FewPartitionsTest, CopiesOfTasksAreNoPartitions) {
  for (int64_t tid = 0; tid < 3; ++tid) builder_.AddTask(tid, stage_, executor_, 0, 10, 10);
  application().stages[0].task_count = 2;
  tasks().speculative[2] = 1;
  EXPECT_EQ(Found("few-partitions").title, "Stage 3: 2 tasks for 4 cores");
}

TEST_F(FewPartitionsTest, AdviceOnPartitionsNamesWhatDecidesTheirNumber) {
  builder_.AddTask(1, stage_, executor_, 0, 20, 20);
  application().stages[0].task_count = 1;
  tasks().Column(TaskMetric::kShuffleReadBytes)[0] = int64_t{1} << 30;
  const auto change = [&] { return Found("few-partitions").change; };
  EXPECT_NE(change().find("a higher number in the operation that shuffles"), std::string::npos) << change();
  application().stages[0].sql_execution = 5;
  SqlExecution& sql = application().sql_executions.emplace_back();
  sql.id = 5;
  sql.plan = {.name = "Exchange", .text = "Exchange hashpartitioning(id#1, 200), ENSURE_REQUIREMENTS"};
  EXPECT_NE(change().find("no coalesce(1), a smaller spark.sql.adaptive.advisoryPartitionSizeInBytes, or a higher"),
            std::string::npos)
      << change();
  application().spark_version = "2.4.8";
  EXPECT_EQ(change().find("adaptive"), std::string::npos) << change();
  sql.plan.text = "Exchange RoundRobinPartitioning(1), REPARTITION_BY_NUM";
  EXPECT_NE(change().find("a higher number in the repartition() before the stage"), std::string::npos) << change();
}

TEST_F(FewPartitionsTest, ALargeFileThatOneTaskReadsCannotBeSplit) {
  builder_.AddTask(1, stage_, executor_, 0, 20, 20);
  application().stages[0].task_count = 1;
  application().stages[0].sql_execution = 5;
  SqlExecution& sql = application().sql_executions.emplace_back();
  sql.id = 5;
  sql.plan = {.name = "Scan csv ", .text = "FileScan csv [id#1] Batched: false, Format: CSV"};
  MetricColumn& bytes = tasks().Column(TaskMetric::kInputBytes);
  bytes[0] = int64_t{16} << 20;
  EXPECT_NE(Found("few-partitions").change.find("option multiLine or wholetext"), std::string::npos);
  bytes[0] = (int64_t{16} << 20) - 1;
  EXPECT_NE(Found("few-partitions").change.find("maxPartitionBytes"), std::string::npos) << "the file may be small";
}

TEST_F(FewPartitionsTest, AJobForEachPartitionHasOneTaskByDefinition) {
  builder_.AddTask(1, stage_, executor_, 0, 20, 20);
  application().stages[0].task_count = 1;
  tasks().Column(TaskMetric::kShuffleReadBytes)[0] = 1 << 20;
  EXPECT_TRUE(Finds("few-partitions"));
  application().stages[0].name = "toLocalIterator at job.py:8";
  EXPECT_FALSE(Finds("few-partitions"));
}

TEST_F(FewPartitionsTest, AStageBeforeATotalOfAllRowsMayHaveMoreTasks) {
  builder_.AddTask(1, stage_, executor_, 0, 20, 20);
  application().stages[0].task_count = 1;
  tasks().Column(TaskMetric::kShuffleReadBytes)[0] = 1 << 20;
  application().stages[0].sql_execution = 5;
  SqlExecution& sql = application().sql_executions.emplace_back();
  sql.id = 5;
  sql.plan = {.name = "Exchange", .text = "Exchange SinglePartition, ENSURE_REQUIREMENTS"};
  sql.plan.stages = {3, 6};
  EXPECT_TRUE(Finds("few-partitions")) << "it writes the rows for the total";
  sql.plan.stages = {1, 3};
  EXPECT_FALSE(Finds("few-partitions")) << "it computes the total";
}

TEST_F(FewPartitionsTest, AShortStageMayHaveFewPartitions) {
  builder_.AddTask(1, stage_, executor_, 0, 9.9, 9);
  EXPECT_FALSE(Finds("few-partitions"));
}

TEST_F(FewPartitionsTest, ATaskThatStartsAPythonWorkerIsNotDividedByMorePartitions) {
  builder_.AddTask(1, stage_, executor_, 0, 20, 1);
  const StackId starting = builder_.AddStack({"org.apache.spark.api.python.BasePythonRunner.compute",
                                              "org.apache.spark.api.python.PythonWorkerFactory.create"});
  builder_.AddSample(Event::kWall, 1, worker_, 1, starting, 12 * kSecond);
  EXPECT_FALSE(Finds("few-partitions")) << "8 s of work in 100 s";
  application().profile.samples[0].weight -= 2 * kSecond;
  const Finding finding = Found("few-partitions");
  EXPECT_NE(finding.evidence.find("; 10.0 s of it to start Python workers"), std::string::npos) << finding.evidence;
}

TEST_F(FewPartitionsTest, CopiesOfTasksThatLoseAreWaste) {
  builder_.AddTask(1, stage_, executor_, 0, 9, 9);
  const size_t copy = builder_.AddTask(2, stage_, executor_, 0, 1, 1);
  tasks().speculative[copy] = 1;
  tasks().outcome[copy] = TaskOutcome::kKilled;
  const Finding finding = Found("speculation");
  EXPECT_EQ(Weighed(finding),
            "low, saves no known time; wall of stage 3; 1.0 s of task time in copies that were killed")
      << "beside an idle core";
  EXPECT_EQ(finding.title, "Stage 3: speculative tasks waste 10.0% of task time");
  tasks().outcome[copy] = TaskOutcome::kSucceeded;
  EXPECT_FALSE(Finds("speculation"));
}

TEST_F(FewPartitionsTest, FewPartitionsMatterInStagesOfTwoSecondsAndATenthOfTheTime) {
  application().end_ns = ApplicationBuilder::Time(10);
  builder_.AddTask(1, stage_, executor_, 0, 2, 2);
  EXPECT_TRUE(Finds("few-partitions"));
  application().end_ns = ApplicationBuilder::Time(20);
  EXPECT_TRUE(Finds("few-partitions"));
  application().end_ns += 10;
  EXPECT_FALSE(Finds("few-partitions")) << "less than a tenth of the time";
  application().end_ns = ApplicationBuilder::Time(10);
  tasks().finish_ns[0] -= 1;
  EXPECT_FALSE(Finds("few-partitions")) << "less than two seconds";
}

TEST_F(FewPartitionsTest, AStageWhoseTasksAreNotAllKnownHasNoFewPartitions) {
  builder_.AddTask(1, stage_, executor_, 0, 20, 20);
  application().stages[0].task_count = 1;
  EXPECT_TRUE(Finds("few-partitions"));
  application().stages[0].task_count = 2;
  EXPECT_FALSE(Finds("few-partitions"));
}

TEST_F(FewPartitionsTest, CopiesThatLoseLittleAreNoWaste) {
  builder_.AddTask(1, stage_, executor_, 0, 4.5, 4.5);
  const size_t copy = builder_.AddTask(2, stage_, executor_, 0, 0.5, 0.5);
  tasks().speculative[copy] = 1;
  tasks().outcome[copy] = TaskOutcome::kKilled;
  EXPECT_TRUE(Finds("speculation"));
  builder_.AddTask(3, stage_, executor_, 0, 0.1, 0.1);
  EXPECT_FALSE(Finds("speculation")) << "less than a tenth of the task time";
  tasks().finish_ns[copy] += kSecond;
  EXPECT_TRUE(Finds("speculation"));
}

TEST_F(FewPartitionsTest, CopiesThatLoseLessThanHalfASecondAreNoWaste) {
  builder_.AddTask(1, stage_, executor_, 0, 1, 1);
  const size_t copy = builder_.AddTask(2, stage_, executor_, 0, 0.5, 0.5);
  tasks().speculative[copy] = 1;
  tasks().outcome[copy] = TaskOutcome::kKilled;
  EXPECT_TRUE(Finds("speculation"));
  tasks().finish_ns[copy] -= 1;
  EXPECT_FALSE(Finds("speculation"));
}

}  // namespace
}  // namespace sparkprof
