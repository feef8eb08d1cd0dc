// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <utility>

#include "analysis/testing/finding_test.h"

namespace sparkprof {
namespace {

constexpr int64_t kSecond = kNanosPerSecond;

class DriverGapTest : public StageFindingTest {
 protected:
  DriverGapTest() : StageFindingTest(4), task_(builder_.AddTask(1, stage_, executor_, 0, 50, 50)) {}

  const size_t task_;
};

TEST_F(DriverGapTest, ATenthOfTheTimeWithoutAJobIsADriverGap) {
  AddJobBetween(0, 10, 30);
  AddJobBetween(1, 40, 100);
  const Finding finding = Found("driver-gap");
  EXPECT_EQ(
      Weighed(finding),
      "low, saves 2.0 s (0 ns to 9.4 s); cpu of driver; the longest gap takes 10.0 s, before job 1 (collect at "
      "job.py:7); whether the program or Spark's catalog, listing and commits take it is unknown without a profile");
  EXPECT_EQ(finding.title, "No job runs for 20.0% of the time: the driver program computes or waits");
  EXPECT_EQ(finding.saving.likely_ns, ApplicationBuilder::Nanos(2));
  EXPECT_EQ(finding.selection.from_ns, 30 * kSecond);
  application().jobs[1].submit_ns -= kNanosPerMilli;
  EXPECT_FALSE(Finds("driver-gap"));
}

TEST_F(DriverGapTest, AGapAtAPromptIsItsUsers) {
  AddJobBetween(0, 10, 30);
  AddJobBetween(1, 60, 100);
  EXPECT_EQ(Found("driver-gap").severity, Severity::kMedium);
  application().jobs[0].name = "count at <console>:22";
  const Finding finding = Found("driver-gap");
  EXPECT_EQ(Weighed(finding),
            "low, saves no known time; cpu of driver; the longest gap takes 30.0 s, before job 1 (collect at "
            "job.py:7); whether the program or Spark's catalog, listing and commits take it is unknown without a "
            "profile");
  EXPECT_EQ(finding.title, "No job runs for 30.0% of the time, in an interactive session");
  EXPECT_EQ(finding.severity, Severity::kLow);
  EXPECT_EQ(finding.saving.likely_ns, 0);
}

TEST_F(DriverGapTest, JobsSideBySideLeaveNoGap) {
  AddJobBetween(0, 10, 60);
  AddJobBetween(1, 20, 30);
  AddJobBetween(2, 50, 99.1);
  EXPECT_FALSE(Finds("driver-gap"));
}

TEST_F(DriverGapTest, TheDriverAfterTheLastJobIsAGapThatNamesTheRowsItReceived) {
  AddJobBetween(0, 10, 90);
  application().jobs.back().sql_execution = 5;
  SqlExecution& sql = application().sql_executions.emplace_back();
  sql.id = 5;
  sql.plan = {.name = "SortMergeJoin", .metrics = {Rows(200'000)}};
  const Finding finding = Found("driver-gap");
  EXPECT_EQ(Weighed(finding),
            "low, saves 2.0 s (0 ns to 9.4 s); cpu of driver; the longest gap takes 10.0 s, after the last one, job 0 "
            "(collect at job.py:7), whose query returned 200,000 rows to the driver; whether the program or Spark's "
            "catalog, listing and commits take it is unknown without a profile");
  EXPECT_EQ(finding.severity, Severity::kLow);
  application().ended = false;
  EXPECT_FALSE(Finds("driver-gap"));
}

TEST_F(DriverGapTest, ALibraryThatComputesOnTheDriverIsNotMovableCodeOfTheProgram) {
  AddJobBetween(0, 10, 70);
  stage().details =
      "org.apache.spark.mllib.linalg.distributed.RowMatrix.computeGramianMatrix(RowMatrix.scala:130)\n"
      "org.apache.spark.ml.feature.PCA.fit(PCA.scala:93)";
  const Finding by_job = Found("driver-gap");
  EXPECT_EQ(by_job.title, "No job runs for 40.0% of the time: Spark ML: PCA.fit computes on the driver, most likely");
  EXPECT_EQ(by_job.change.find("Move this work"), std::string::npos) << by_job.change;
  stage().details.clear();
  EXPECT_EQ(Found("driver-gap").title.find("PCA"), std::string::npos);
  executor().id = "driver";
  const StackId stack =
      builder_.AddStack({"org.apache.spark.ml.feature.PCA.fit", "dev.ludovic.netlib.lapack.Java11LAPACK.dgesvd"});
  builder_.AddSample(Event::kCpu, 80, builder_.AddThread(7, "Thread-4", executor_), kNoTask, stack, 6 * kSecond);
  EXPECT_NE(Found("driver-gap").title.find("Spark ML: PCA.fit computes on the driver"), std::string::npos);
  application().profile.samples.back().weight -= 1;
  EXPECT_EQ(Found("driver-gap").title.find("PCA"), std::string::npos) << "less than a fifth";
}

TEST_F(DriverGapTest, BetweenTheJobsOfOneQueryIsNoGap) {
  AddJobBetween(0, 10, 30);
  AddJobBetween(1, 60, 100);
  application().jobs[0].sql_execution = application().jobs[1].sql_execution = 5;
  EXPECT_FALSE(Finds("driver-gap"));
  application().jobs[1].sql_execution = 6;
  EXPECT_TRUE(Finds("driver-gap"));
}

TEST_F(DriverGapTest, ADriverThatSleepsIsNotWorkForTasks) {
  AddJobBetween(0, 10, 30);
  AddJobBetween(1, 60, 100);
  Process driver;
  driver.role = "python_driver";
  driver.pid = 77;
  application().processes.push_back({driver, executor_});
  const uint32_t thread = builder_.AddThread(77, "Python 77", executor_);
  application().profile.threads[thread].process = 77;
  const StackId stack = builder_.AddStack({builder_.AddFrame("pause", FrameKind::kPython, "/home/me/job.py", 30)});
  builder_.AddSample(Event::kWall, 40, thread, kNoTask, stack, kSecond).state = ThreadState::kSleeping;
  application().python_samples = std::exchange(application().profile.samples, {});
  const Finding finding = Found("driver-gap");
  EXPECT_EQ(finding.title, "No job runs for 30.0% of the time: the driver program sleeps in pause (job.py:30)");
  EXPECT_EQ(finding.severity, Severity::kHigh);
  EXPECT_NE(finding.change.find("send all requests before it waits"), std::string::npos);
  EXPECT_EQ(finding.frames, std::vector<std::string>{"pause (job.py:30)"});
  application().python_samples[0].state = ThreadState::kRunning;
  EXPECT_EQ(Found("driver-gap").change.find("send all requests"), std::string::npos);
}

TEST_F(DriverGapTest, AProgramThatComputesBeforeItsFirstJobIsADriverGap) {
  AddJobBetween(0, 40, 100);
  EXPECT_FALSE(Finds("driver-gap")) << "Spark may start";
  Process driver;
  driver.role = "python_driver";
  driver.pid = 77;
  application().processes.push_back({driver, executor_});
  const uint32_t thread = builder_.AddThread(77, "Python 77", executor_);
  application().profile.threads[thread].process = 77;
  const StackId stack = builder_.AddStack({builder_.AddFrame("record", FrameKind::kPython, "/home/me/job.py", 16)});
  for (const Event event : {Event::kCpu, Event::kWall})
    builder_.AddSample(event, 20, thread, kNoTask, stack, 20 * kSecond, 100).state = ThreadState::kRunning;
  application().python_samples = std::exchange(application().profile.samples, {});
  const Finding finding = Found("driver-gap");
  EXPECT_EQ(finding.title, "No job runs for 40.0% of the time: the driver program computes in record (job.py:16)");
  EXPECT_EQ(finding.frames, std::vector<std::string>{"record (job.py:16)"});
  EXPECT_EQ(finding.saving.likely_ns, ApplicationBuilder::Nanos(10));
}

TEST_F(DriverGapTest, WhatSparkDoesForTheProgramIsNamed) {
  AddJobBetween(0, 10, 30);
  AddJobBetween(1, 60, 100);
  application().executors[static_cast<size_t>(executor_)].id = "driver";
  const uint32_t main = builder_.AddThread(5, "main", executor_);
  const StackId analyze =
      builder_.AddStack({builder_.AddFrame("com.example.Job.addColumns", FrameKind::kJit, "Job.scala", 9),
                         builder_.AddFrame("org.apache.spark.sql.Dataset.withColumn"),
                         builder_.AddFrame("org.apache.spark.sql.catalyst.analysis.Analyzer.execute"),
                         builder_.AddFrame("org.apache.spark.sql.catalyst.trees.TreeNode.transformDown")});
  for (int64_t second = 30; second < 60; ++second)
    builder_.AddSample(Event::kWall, second, main, kNoTask, analyze, kSecond, 10);
  builder_.AddSample(Event::kCpu, 31, main, kNoTask, analyze, 6 * kSecond);
  const Finding finding = Found("driver-gap");
  EXPECT_EQ(finding.title, "No job runs for 30.0% of the time: Spark analyzes plans for com.example.Job.addColumns:9");
  EXPECT_TRUE(finding.change.starts_with("Make all columns in one select()")) << finding.change;
  application().profile.samples.back().weight -= 1;
  EXPECT_EQ(Found("driver-gap").title.find("Spark analyzes"), std::string::npos) << "less than a fifth of the gap";
}

TEST_F(DriverGapTest, LoadingTheClassesOfALibraryHasNoKnownSaving) {
  AddJobBetween(0, 10, 30);
  AddJobBetween(1, 60, 100);
  application().executors[static_cast<size_t>(executor_)].id = "driver";
  const uint32_t main = builder_.AddThread(5, "main", executor_);
  const StackId load = builder_.AddStack({builder_.AddFrame("com.example.Job.check", FrameKind::kJit, "Job.scala", 9),
                                          builder_.AddFrame("com.amazon.deequ.VerificationSuite.onData"),
                                          builder_.AddFrame("java.lang.ClassLoader.loadClass")});
  for (int64_t second = 30; second < 60; ++second)
    builder_.AddSample(Event::kWall, second, main, kNoTask, load, kSecond, 10);
  const uint32_t compiler = builder_.AddThread(6, "C2 CompilerThre", executor_);
  builder_.AddSample(Event::kCpu, 31, compiler, kNoTask, load, 9 * kSecond);
  builder_.AddSample(Event::kCpu, 31, main, kNoTask, load, 6 * kSecond);
  const Finding finding = Found("driver-gap");
  EXPECT_EQ(finding.title,
            "No job runs for 30.0% of the time: Spark loads and compiles classes for com.example.Job.check:9");
  EXPECT_EQ(finding.saving.likely_ns, 0);
  application().profile.samples.back().weight -= 1;
  EXPECT_GT(Found("driver-gap").saving.likely_ns, 0) << "less than half of the gap";
}

TEST_F(DriverGapTest, AGapAfterJobsThatReturnNextToNothingHasNoKnownSaving) {
  AddJobBetween(0, 10, 30);
  AddJobBetween(1, 60, 100);
  MetricColumn& result_bytes = tasks().Column(TaskMetric::kResultSize);
  result_bytes[task_] = (64 << 10) - 1;
  EXPECT_EQ(Found("driver-gap").title,
            "No job runs for 30.0% of the time: whether the driver program computes or waits is unknown");
  EXPECT_EQ(Found("driver-gap").severity, Severity::kLow);
  application().jobs[0].name = "parquet at NativeMethodAccessorImpl.java:0";
  EXPECT_EQ(Found("driver-gap").severity, Severity::kMedium) << "Spark commits the files";
  application().jobs[0].name = "collect at job.py:7";
  result_bytes[task_] += 1;
  EXPECT_EQ(Found("driver-gap").title, "No job runs for 30.0% of the time: the driver program computes or waits");
  EXPECT_EQ(Found("driver-gap").severity, Severity::kMedium);
}

TEST_F(DriverGapTest, AGapBeforeAQueryOfManyPiecesMayBeTheirAnalysis) {
  AddJobBetween(0, 10, 30);
  AddJobBetween(1, 60, 100);
  tasks().Column(TaskMetric::kResultSize)[task_] = 1024;
  application().jobs[1].sql_execution = 5;
  SqlExecution& sql = application().sql_executions.emplace_back();
  sql.id = 5;
  sql.plan = {.name = "Project", .text = "Project [id#0L, coalesce(f#1, 0.0) AS f#9, ... 99 more fields]"};
  const Finding finding = Found("driver-gap");
  EXPECT_EQ(
      finding.title,
      "No query or job runs for 30.0% of the time: Spark analyzes a query that computes 100 columns, most likely");
  EXPECT_TRUE(finding.change.starts_with("Compute the columns in one select() or withColumns()")) << finding.change;
  EXPECT_GT(finding.saving.likely_ns, 0);
  sql.plan.text = "Project [id#0L, coalesce(f#1, 0.0) AS f#9, ... 98 more fields]";
  EXPECT_EQ(Found("driver-gap").saving.likely_ns, 0);
  sql.plan = {.name = "Filter", .text = "Filter NOT card#0 INSET C0"};
  for (int value = 1; value < 1'000; ++value) sql.plan.text += ", C" + std::to_string(value);
  EXPECT_EQ(
      Found("driver-gap").title,
      "No query or job runs for 30.0% of the time: Spark gets the 1,000 values of a condition one by one, most likely");
  EXPECT_TRUE(Found("driver-gap").change.starts_with("Join with a table of the values"));
  sql.plan.text.resize(sql.plan.text.rfind(','));
  EXPECT_EQ(Found("driver-gap").saving.likely_ns, 0);
}

TEST_F(DriverGapTest, AProgramThatIteratesOverTheRowsOfAQueryWorksBetweenItsJobs) {
  AddJobBetween(0, 10, 30);
  AddJobBetween(1, 60, 100);
  for (Job& job : application().jobs) {
    job.sql_execution = 5;
    job.name = "toLocalIterator at job.py:8";
  }
  SqlExecution sql;
  sql.id = 5;
  sql.start_ns = ApplicationBuilder::Time(5);
  application().sql_executions.push_back(sql);
  const Finding finding = Found("driver-gap");
  EXPECT_EQ(
      finding.title,
      "No query or job runs for 30.0% of the time: the driver receives the rows of toLocalIterator at job.py:8, or "
      "works on them");
  EXPECT_EQ(finding.frames, std::vector<std::string>{"toLocalIterator at job.py:8"});
}

TEST_F(DriverGapTest, BetweenTheBatchesOfAStreamAndTheQueriesOfClientsIsNoGap) {
  AddJobBetween(0, 10, 30);
  AddJobBetween(1, 60, 100);
  EXPECT_TRUE(Finds("driver-gap"));
  // A rolled log lacks the start of the query.
  application().streaming_queries.push_back({.id = "a", .run_id = "r", .name = {}, .failure = {}});
  EXPECT_FALSE(Finds("driver-gap"));
  application().streaming_queries.clear();
  for (Job& job : application().jobs) job.description = "Streaming job from [output operation 0, batch time 12:00:00]";
  EXPECT_FALSE(Finds("driver-gap"));
  for (Job& job : application().jobs) job.description.clear();
  application().name = "Thrift JDBC/ODBC Server";
  EXPECT_TRUE(Found("driver-gap").is_context);
}

TEST_F(DriverGapTest, ThePlanningOfAQueryIsNoGap) {
  AddJobBetween(0, 10, 30);
  AddJobBetween(1, 60, 100);
  application().jobs[1].sql_execution = 5;
  SqlExecution sql;
  sql.id = 5;
  sql.start_ns = ApplicationBuilder::Time(31);
  application().sql_executions = {sql};
  EXPECT_FALSE(Finds("driver-gap"));
  application().sql_executions[0].start_ns = ApplicationBuilder::Time(40);
  EXPECT_EQ(Found("driver-gap").what, "After its first job the application had 1 gap without a job, 10.0 s in total");
}

TEST_F(DriverGapTest, ShortPausesBetweenJobsAreNoGaps) {
  application().end_ns = ApplicationBuilder::Time(4);
  AddJobBetween(0, 0, 0.5);
  AddJobBetween(1, 0.7, 1.2);
  AddJobBetween(2, 1.4, 1.9);
  AddJobBetween(3, 2.1, 4);
  const Finding finding = Found("driver-gap");
  EXPECT_EQ(finding.what, "After its first job the application had 3 gaps without a job, 600 ms in total");
  EXPECT_EQ(finding.severity, Severity::kLow) << "it may be Spark's planning";
  application().jobs[2].submit_ns -= kNanosPerMilli;
  EXPECT_FALSE(Finds("driver-gap"));
}

}  // namespace
}  // namespace sparkprof
