// SPDX-License-Identifier: Apache-2.0
// Executors that are missing, idle, or out of disk space: waiting-for-executors, empty-partitions, disk-full.
#include <gtest/gtest.h>

#include "analysis/testing/finding_test.h"

namespace sparkprof {
namespace {

class ExecutorRulesTest : public StageFindingTest {
 protected:
  void BeginStageAt(double seconds) {
    stage().submit_ns = ApplicationBuilder::Time(seconds);
    stage().end_ns = ApplicationBuilder::Time(100);
    builder_.AddJob(0, {3});
    application().jobs[0].submit_ns = stage().submit_ns;
  }
};

TEST_F(ExecutorRulesTest, TheTimeUntilTheFirstExecutorIsAWaitAndNamesTheClusterManager) {
  application().master = "k8s://https://10.0.0.1:6443";
  executor().add_ns = ApplicationBuilder::Time(60);
  BeginStageAt(10);
  builder_.AddTask(1, stage_, executor_, 60, 100, 40);
  const Answers answers = Answer(application());
  const Finding finding = Found("waiting-for-executors");
  EXPECT_EQ(finding.title, "The application waits 50.0 s for executors");
  EXPECT_NE(finding.change.find("kubectl get events"), std::string::npos) << finding.change;
  EXPECT_NE(answers.verdict.find("50.0% of it waiting for executors"), std::string::npos) << answers.verdict;
}

TEST_F(ExecutorRulesTest, AJobWithoutAnyExecutorWaitsToTheEnd) {
  application().master = "yarn";
  application().executors.clear();
  BeginStageAt(10);
  const Finding finding = Found("waiting-for-executors");
  EXPECT_EQ(finding.title, "No executor came in 90.0 s");
}

TEST_F(ExecutorRulesTest, ALogThatLacksExecutorsIsNoWait) {
  application().executors.clear();
  BeginStageAt(10);
  EXPECT_FALSE(Finds("waiting-for-executors"));
}

TEST_F(ExecutorRulesTest, ManyTasksWithoutARecordAreEmptyPartitions) {
  for (int64_t tid = 0; tid < 20; ++tid) {
    const double begin = static_cast<double>(tid / 2) * 5;
    const size_t row = builder_.AddTask(tid, stage_, executor_, begin, begin + 5, 1);
    if (tid % 2 == 0) tasks().Column(TaskMetric::kShuffleReadRecords)[row] = 1'000;
  }
  const Finding finding = Found("empty-partitions-3.0");
  EXPECT_EQ(finding.title, "Stage 3: 10 of 20 tasks get no record");
  EXPECT_NE(finding.change.find("spark.sql.shuffle.partitions"), std::string::npos) << finding.change;
  application().stages[0].details = "org.apache.spark.sql.delta.Snapshot.computedState(Snapshot.scala:1)";
  EXPECT_EQ(Found("empty-partitions-3.0").change, "Set spark.databricks.delta.snapshotPartitions=2") << "of a library";
  for (size_t row = 0; row < 20; ++row) tasks().Column(TaskMetric::kShuffleReadRecords)[row] = 1;
  EXPECT_FALSE(Finds("empty-partitions-3.0"));
}

TEST_F(ExecutorRulesTest, ALocalDiskThatShufflesFillIsReportedBeforeItIsFull) {
  constexpr double kTotal = 1e12;
  const auto add = [&](const char* name, double first, double last) {
    application().series.push_back(
        {.name = name,
         .executor = executor_,
         .points = {{ApplicationBuilder::Time(0), first}, {ApplicationBuilder::Time(90), last}}});
  };
  add("disk.local_total_bytes", kTotal, kTotal);
  add("disk.local_free_bytes", 0.2 * kTotal, 0.05 * kTotal);
  builder_.AddTask(1, stage_, executor_, 0, 100, 90);
  const Finding finding = Found("disk-full");
  EXPECT_EQ(finding.title, "The local disk of executor 1 gets full: 95.0% used");
  application().series.back().points.front().value = 0.06 * kTotal;
  EXPECT_FALSE(Finds("disk-full")) << "the job writes next to nothing there";
}

}  // namespace
}  // namespace sparkprof
