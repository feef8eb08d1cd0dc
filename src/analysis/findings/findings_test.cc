// SPDX-License-Identifier: Apache-2.0
// Properties of all findings: order, savings, evidence and advice.
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/testing/finding_test.h"

namespace sparkprof {
namespace {

class FindingsTest : public StageFindingTest {};

TEST_F(FindingsTest, AQuietStageHasNone) {
  for (int64_t tid = 0; tid < 20; ++tid)
    builder_.AddTask(tid, stage_, executor_, static_cast<double>(tid / 2) * 10, static_cast<double>(tid / 2) * 10 + 9.5,
                     9);
  EXPECT_TRUE(Answer(application()).findings.empty());
}

TEST_F(FindingsTest, ACauseInTheJobComesBeforeABusyMachineUnlessItSavesNextToNothing) {
  Finding machine, job, little;
  machine.is_of_machine = true;
  machine.expected_share = 0.3, job.expected_share = 0.01, little.expected_share = 0.0099;
  EXPECT_TRUE(IsMoreImportant(job, machine));
  EXPECT_TRUE(IsMoreImportant(machine, little));
  EXPECT_FALSE(IsFolded(job));
  EXPECT_TRUE(IsFolded(little));
}

TEST_F(FindingsTest, TheLargestExpectedSavingIsTheHeadline) {
  const int32_t other = builder_.AddStage(4, 0, 0);
  const size_t small = builder_.AddTask(1, stage_, executor_, 0, 20, 10);
  const size_t large = builder_.AddTask(2, other, executor_, 20, 90, 20);
  tasks().Column(TaskMetric::kGcTime)[small] = ApplicationBuilder::Nanos(10);
  tasks().Column(TaskMetric::kShuffleFetchWait)[large] = ApplicationBuilder::Nanos(40);
  const Answers answers = Answer(application());
  ASSERT_GE(answers.findings.size(), 2u);
  EXPECT_EQ(answers.findings[0].id, "few-partitions-4.0");
  EXPECT_EQ(answers.findings[1].id, "fetch-wait-4.0");
  EXPECT_GT(answers.findings[0].expected_share, answers.findings[1].expected_share);
  EXPECT_EQ(answers.findings[1].overlaps, "few-partitions-4.0") << "the tasks that would be divided wait";
}

TEST_F(FindingsTest, ASavingIsNotMoreThanItsStageTakesAndDifferentPartsOfItAreNoAlternatives) {
  const size_t row = builder_.AddTask(1, stage_, executor_, 0, 50, 5);
  tasks().Column(TaskMetric::kGcTime)[row] = ApplicationBuilder::Nanos(30);
  tasks().Column(TaskMetric::kShuffleFetchWait)[row] = ApplicationBuilder::Nanos(45);
  const Answers answers = Answer(application());
  ASSERT_GE(answers.findings.size(), 2u);
  for (const Finding& finding : answers.findings) {
    EXPECT_LE(finding.saving.likely_ns, 50 * kNanosPerSecond) << finding.id;
    EXPECT_LE(finding.saving.high_ns, 50 * kNanosPerSecond * 5 / 4) << finding.id << " and what goes with it";
  }
  EXPECT_TRUE(answers.findings[0].overlaps.empty());
  EXPECT_TRUE(answers.findings[1].overlaps.empty());
}

TEST_F(FindingsTest, StagesThatRunAtOnceSaveTheirTimeOnce) {
  for (int64_t tid = 0; tid < 2; ++tid) builder_.AddTask(tid, stage_, executor_, 0, 1, 1);
  for (int64_t id = 10; id < 14; ++id) {
    const size_t row = builder_.AddTask(id, builder_.AddStage(id, 0, 0), executor_, 1, 21, 2);
    tasks().Column(TaskMetric::kSchedulerDelay)[row] = ApplicationBuilder::Nanos(18);
  }
  const Answers answers = Answer(application());
  ASSERT_FALSE(answers.findings.empty());
  EXPECT_EQ(answers.findings[0].rule, "scheduler-delay");
  EXPECT_LE(answers.findings[0].saving.likely_ns, ApplicationBuilder::Nanos(18) + 10);
}

TEST_F(FindingsTest, AdviceNamesTheValuesOfItsSettingsAndWhereTheyAreSet) {
  const size_t row = builder_.AddTask(1, stage_, executor_, 0, 50, 20);
  tasks().Column(TaskMetric::kDiskSpilled)[row] = int64_t{1} << 30;
  application().stages[0].sql_execution = 5;
  Set({{"spark.executor.memory", "2g"}, {"spark.sql.shuffle.partitions", "200"}});
  SqlExecution sql;
  sql.id = 5;
  sql.settings = {{"spark.sql.shuffle.partitions", "1"}};
  application().sql_executions = {sql};
  const Finding spill = Found("spill-3.0");
  EXPECT_TRUE(
      spill.change.ends_with(". Now: spark.sql.shuffle.partitions=1 in the program's code, spark.executor.memory=2g"))
      << spill.change;
}

TEST_F(FindingsTest, AChangeOfASettingHasItsValueBeforeAndAfter) {
  const size_t row = builder_.AddTask(1, stage_, executor_, 0, 50, 20);
  tasks().Column(TaskMetric::kDiskSpilled)[row] = int64_t{1} << 30;
  tasks().Column(TaskMetric::kMemorySpilled)[row] = int64_t{1} << 30;
  tasks().Column(TaskMetric::kPeakExecutionMemory)[row] = int64_t{1} << 30;
  tasks().Column(TaskMetric::kShuffleReadBytes)[row] = int64_t{1} << 30;
  application().stages[0].sql_execution = 5;
  Set({{"spark.sql.adaptive.enabled", "false"}, {"spark.sql.shuffle.partitions", "1"}});
  const Finding spill = Found("spill-3.0");
  ASSERT_EQ(spill.settings.size(), 1u) << spill.change;
  EXPECT_EQ(spill.settings[0].name, "spark.sql.shuffle.partitions");
  EXPECT_EQ(spill.settings[0].before, "1");
  EXPECT_EQ(spill.settings[0].after, "8") << "as many as there are cores";
  EXPECT_FALSE(spill.settings[0].is_in_code);
}

TEST_F(FindingsTest, WhatTheMetricsOfAStageExcludeIsRuledOut) {
  const size_t row = builder_.AddTask(1, stage_, executor_, 0, 50, 20);
  tasks().Column(TaskMetric::kGcTime)[row] = ApplicationBuilder::Nanos(20);
  tasks().Column(TaskMetric::kShuffleFetchWait)[row] = ApplicationBuilder::Nanos(1);
  const std::vector<std::string> ruled_out = Found("gc-3.0").ruled_out;
  EXPECT_NE(std::find(ruled_out.begin(), ruled_out.end(), "Waiting for shuffle data: 2.0% of task time"),
            ruled_out.end());
  EXPECT_NE(std::find(ruled_out.begin(), ruled_out.end(), "Failed tasks: none"), ruled_out.end());
  for (const std::string& one : ruled_out) EXPECT_EQ(one.find("Garbage"), std::string::npos);
}

TEST_F(FindingsTest, ARiskIsNotFoldedAndComesBeforeALesserSaving) {
  Finding risk, little, much;
  risk.risk = 0.02, little.expected_share = 0.01, much.expected_share = 0.03;
  EXPECT_FALSE(IsFolded(risk));
  EXPECT_TRUE(IsMoreImportant(risk, little));
  EXPECT_TRUE(IsMoreImportant(much, risk));
}

TEST_F(FindingsTest, TheEvidenceOfMergedStagesHoldsEachOfThem) {
  const int32_t second = builder_.AddStage(4, 0, 0);
  for (int64_t tid = 0; tid < 20; ++tid) {
    const double begin = static_cast<double>(tid / 2) * 10;
    const size_t row = builder_.AddTask(tid, tid < 10 ? stage_ : second, executor_, begin, begin + 10, 5);
    tasks().Column(TaskMetric::kGcTime)[row] = ApplicationBuilder::Nanos(tid < 10 ? 3 : 2);
  }
  const Finding finding = Found("gc-3.0");
  EXPECT_NE(finding.evidence.find("GC time 30.0 s of"), std::string::npos) << finding.evidence;
  EXPECT_NE(finding.evidence.find("; stage 4: GC time 20.0 s of"), std::string::npos) << finding.evidence;
}

TEST_F(FindingsTest, EveryFindingTellsItsRule) {
  for (int64_t tid = 0; tid < 4; ++tid) {
    const size_t row = builder_.AddTask(tid, stage_, executor_, 0, tid == 2 ? 60 : 2, tid == 2 ? 58 : 1.5);
    tasks().Column(TaskMetric::kShuffleReadRecords)[row] = tid == 2 ? 90'000 : 1'000;
    tasks().Column(TaskMetric::kGcTime)[row] = ApplicationBuilder::Nanos(1.5);
    tasks().Column(TaskMetric::kDiskSpilled)[row] = int64_t{1} << 30;
  }
  const Answers answers = Answer(application());
  EXPECT_FALSE(answers.findings.empty());
  for (const Finding& finding : answers.findings) EXPECT_FALSE(finding.condition.empty()) << finding.id;
}

}  // namespace
}  // namespace sparkprof
