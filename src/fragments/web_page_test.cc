// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "fragments/testing/answer_text.h"

namespace sparkprof {
namespace {

using testing::AnswerStartsOf;
using testing::AnswerText;
using testing::Summary;

std::string SummaryTable(const std::string& duration, const std::string& rest) {
  return "Summary Metrics for 200 Completed Tasks\nMetric\tMin\t25th percentile\tMedian\t75th "
         "percentile\tMax\nDuration\t" +
         duration + "\n" + rest;
}

TEST(WebPageTest, ALongTaskWithMostOfTheDataIsSkew) {
  const std::string text =
      SummaryTable("0.2 s\t1 s\t2 s\t3 s\t10 min",
                   "GC Time\t0 ms\t20 ms\t40 ms\t60 ms\t4 s\n"
                   "Spill (disk)\t0.0 B\t0.0 B\t0.0 B\t0.0 B\t2.1 GiB\n"
                   "Shuffle Read Size / Records\t1 MiB / 9\t12 MiB / 1\t20.0 MiB / 1\t24 MiB / 2\t6.3 GiB / 5\n");
  EXPECT_EQ(Summary(AnswerText(text)),
            "A table of Spark's web UI: metrics of a stage's tasks.\n"
            "Duration of completed tasks: median 2.0 s, longest 10.0 min\n"
            "skew: The largest task reads 6.3 GiB of data, the median 20.0 MiB\n"
            "spill: Tasks spill up to 2.1 GiB each to disk\n");
  AnswerStartsOf(text);
}

TEST(WebPageTest, ALongTaskWithoutMoreDataIsAStraggler) {
  EXPECT_EQ(
      Summary(AnswerText(SummaryTable("0.2 s\t1 s\t2 s\t3 s\t40 s",
                                      "Input Size / Records\t1 MB / 9\t2 MB / 1\t2 MB / 1\t2 MB / 2\t3 MB / 5\n"))),
      "A table of Spark's web UI: metrics of a stage's tasks.\n"
      "Duration of completed tasks: median 2.0 s, longest 40.0 s\n"
      "straggler: The longest task takes 40.0 s, the median 2.0 s\n");
}

TEST(WebPageTest, ATaskThatStillRunsIsComparedWithTheCompletedOnes) {
  const std::string summary = SummaryTable(
      "4 s\t9 s\t11 s\t13 s\t31 s", "Shuffle Read Size / Records\t1 MB / 1\t2 MB / 1\t2 MB / 1\t2 MB / 1\t3 MB / 1\n");
  const std::string headings =
      "Tasks (1 running)\nIndex\tID\tAttempt\tStatus\tHost\tDuration\tShuffle Read Size / Records\tErrors\n";
  const FragmentAnswer skewed =
      AnswerText(summary + headings +
                 "76\t8841\t0\tSUCCESS\th2\t31 s\t3 MB / 1\t\n77\t8842\t0\tRUNNING\th3\t1.2 h\t41.8 GB / 9\t\n");
  EXPECT_EQ(Summary(skewed),
            "A table of Spark's web UI: metrics of a stage's tasks.\n"
            "Duration of completed tasks: median 11.0 s, longest 31.0 s\n"
            "Task 77 runs on h3 for 1.2 h so far\n"
            "skew: The largest task reads 41.8 GiB of data, the median 2.0 MiB\n");
  const FragmentAnswer even = AnswerText(summary + headings + "77\t8842\t0\tRUNNING\th3\t12 s\t2 MB / 1\t\n");
  EXPECT_TRUE(even.answers.findings.empty()) << Summary(even);
}

TEST(WebPageTest, ATaskThatRunsInALineWithoutHeadingsIsComparedToo) {
  const std::string text =
      SummaryTable("3 s\t6 s\t7 s\t8 s\t21 s",
                   "Shuffle Read Size / Records\t8 MB / 1\t9 MB / 1\t9 MB / 1\t9 MB / 1\t14 MB / 1\n") +
      "running: Index 43 RUNNING executor 9 1.1 h Shuffle Read 6.1 GB / 88420313\n";
  EXPECT_EQ(Summary(AnswerText(text)),
            "A table of Spark's web UI: metrics of a stage's tasks.\n"
            "Duration of completed tasks: median 7.0 s, longest 21.0 s\n"
            "A task runs for 1.1 h so far\n"
            "skew: The largest task reads 6.1 GiB of data, the median 9.0 MiB\n");
  const FragmentAnswer nulls = AnswerText(text + "|       null|88290117|\n|      40018|   71120|\n");
  EXPECT_NE(nulls.answers.findings.front().change.find("null never matches"), std::string::npos);
}

TEST(WebPageTest, ALongStageWithOneTaskIsNamed) {
  const std::string headings =
      "Active Stages (1)\nStage Id  Description  Submitted  Duration  Tasks: Succeeded/Total  Input\n";
  const std::string one =
      headings + "0  parquet at Copy.scala:7  2023/03/15 07:02:44  2.6 h  0/1 (1 running)    17.4 GiB\n";
  const std::string pending = "Pending Stages (1)\n1  parquet at Copy.scala:7  Unknown  Unknown  0/200\n";
  const FragmentAnswer answer = AnswerText(one + pending);
  EXPECT_EQ(Summary(answer),
            "A table of Spark's web UI: 2 stages.\n"
            "few-partitions: A stage has a single task, which takes 2.6 h\n");
  EXPECT_TRUE(answer.answers.findings.at(0).change.starts_with("Divide its work"))
      << answer.answers.findings.at(0).change;
  const FragmentAnswer jdbc = AnswerText("spark.read.format(\"jdbc\")\n" + one);
  EXPECT_TRUE(jdbc.answers.findings.at(0).change.starts_with("Divide the read from the database"));
  const FragmentAnswer short_or_many = AnswerText(headings +
                                                  "3  count at A.scala:1  2023/03/15 07:02:44  9 s  1/1\n4  count at "
                                                  "A.scala:2  2023/03/15 07:02:53  1.1 h  80/80  1 GB\n");
  EXPECT_TRUE(short_or_many.answers.findings.empty()) << Summary(short_or_many);
  AnswerStartsOf(one);
}

TEST(WebPageTest, EvenTasksAreHealthy) {
  EXPECT_EQ(Summary(AnswerText("|" + SummaryTable("1 s|1 s|2 s|3 s|4 s", "GC Time\t0 ms\t0 ms\t0.3 s\t1 s\t1 s\n"))),
            "A table of Spark's web UI.\n");
  EXPECT_EQ(Summary(AnswerText(SummaryTable("1 s\t1 s\t2 s\t3 s\t4 s", "GC Time\t0 ms\t0 ms\t1.5 s\t1 s\t1 s\n"))),
            "A table of Spark's web UI: metrics of a stage's tasks.\n"
            "Duration of completed tasks: median 2.0 s, longest 4.0 s\n"
            "gc: Tasks wait for garbage collection for 75.0% of their time\n");
}

TEST(WebPageTest, TheDelayOfTheSchedulerIsBesideTheDuration) {
  const FragmentAnswer answer =
      AnswerText(SummaryTable("1 s\t1 s\t3 s\t3 s\t4 s", "Scheduler Delay\t0 ms\t0 ms\t1 s\t1 s\t2 s\n"));
  ASSERT_EQ(answer.answers.findings.size(), 1u) << Summary(answer);
  EXPECT_EQ(answer.answers.findings[0].title, "Tasks wait for the scheduler for 25.0% of their time");
}

TEST(WebPageTest, JobsWithManySkippedTasksHaveALongLineage) {
  const std::string text =
      "Completed Jobs (2)\n"
      "Job Id | Description | Submitted | Duration | Stages: Succeeded/Total | Tasks (for all stages): "
      "Succeeded/Total\n"
      "-- | -- | -- | -- | -- | --\n"
      "2 | save at Step.scala:14 | 2026/11/28 07:00:12 | 5.1 s | 2/2 (288 skipped) | 401/401 (589480 skipped)\n"
      "1 | collect at Step.scala:12 | 2026/11/28 07:00:11 | 96 ms | 2/2 | 308/308\n";
  const FragmentAnswer answer = AnswerText(text);
  EXPECT_EQ(Summary(answer),
            "A table of Spark's web UI: 2 jobs.\n"
            "The longest is job 2 (save at Step.scala:14), 5.1 s\n"
            "job-loop: Jobs skip up to 589,480 tasks: their lineage is long\n");
  EXPECT_EQ(answer.answers.findings[0].evidence, "Job 2 (save at Step.scala:14): 589,480 tasks skipped in 288 stages");
  AnswerStartsOf(text);
}

TEST(WebPageTest, ACopiedDescriptionMayHaveALineOfItsOwn) {
  EXPECT_EQ(AnswerText("Job Id\tDescription\tSubmitted\tDuration\tStages\tTasks\n"
                       "7\tcollect at A.scala:1\ncollect at A.scala:1\t2026/11/28 07:00:12\t5 s\t1/1\t4/4\n")
                .facts,
            std::vector<std::string>{"The longest is job 7 (collect at A.scala:1 collect at A.scala:1), 5.0 s"});
}

TEST(WebPageTest, JobsThatRunAndThatCompletedAreCountedOnce) {
  const std::string heading = "Job Id\tDescription\tSubmitted\tDuration\tStages\tTasks\n";
  EXPECT_EQ(
      AnswerText("Active Jobs (1)\n" + heading + "8\ta\t2026/11/28 07:00:12\t7 s\t0/1\t1/4\nCompleted Jobs (1)\n" +
                 heading + "7\tb\t2026/11/28 07:00:12\t5 s\t1/1\t4/4\n")
          .answers.verdict,
      "A table of Spark's web UI: 2 jobs.");
}

TEST(WebPageTest, LongTaskTimesAreAddedWhole) {
  EXPECT_EQ(AnswerText("Executor ID\tAddress\tRDD Blocks\tTask Time (GC Time)\n"
                       "1\th1:1\t0\t100.0 h (4.0 h)\n2\th2:1\t0\t100.0 h (5.0 h)\n")
                .answers.findings.size(),
            0u);
}

TEST(WebPageTest, ExecutorsWithMuchGcOrWithoutTasksAreFindings) {
  const std::string text =
      "Executor ID\tAddress\tStatus\tRDD Blocks\tFailed Tasks\tTotal Tasks\tTask Time (GC Time)\tInput\n"
      "driver\th0:1\tActive\t0\t0\t0\t0.0 ms (0.0 ms)\t0.0 B\n"
      "1\th1:1\tActive\t0\t2\t100\t20 min (6 min)\t0.0 B\n"
      "2\th2:1\tActive\t0\t0\t0\t0.0 ms (0.0 ms)\t0.0 B\n";
  EXPECT_EQ(Summary(AnswerText(text)),
            "A table of Spark's web UI: 2 executors.\n"
            "2 failed tasks\n"
            "gc: Tasks wait for garbage collection for 30.0% of their time\n"
            "idle-executors: 1 of 2 executors ran no task\n");
  AnswerStartsOf(text);
}

TEST(WebPageTest, BatchesOfAStreamThatWaitLongerAndLongerAreBehind) {
  const std::string text =
      "Completed Batches (last 4 out of 912)\n"
      "Batch Time\tRecords\tScheduling Delay (?)\tProcessing Time (?)\tTotal Delay (?)\tOutput Ops: Succeeded/Total\n"
      "2026/11/28 07:00:30\t41200 records\t25 s\t19 s\t44 s\t1/1\n"
      "2026/11/28 07:00:20\t40100 records\t16 s\t19 s\t35 s\t1/1\n"
      "2026/11/28 07:00:10\t40800 records\t8 s\t18 s\t26 s\t1/1\n"
      "2026/11/28 07:00:00\t39900 records\t3 ms\t18 s\t18 s\t1/1\n";
  EXPECT_EQ(
      Summary(AnswerText(text)),
      "A table of Spark's web UI: 4 batches of a stream.\n"
      "A batch every 10.0 s: processing takes 19.0 s in the median, the longest wait is 25.0 s\n"
      "streaming-behind: Batches wait up to 25.0 s before they start: processing takes 19.0 s, and one comes every "
      "10.0 s\n");
  AnswerStartsOf(text);
}

TEST(WebPageTest, BatchesOfAStreamThatKeepsUpAreHealthy) {
  // An occasional long batch delays only the next one.
  EXPECT_EQ(Summary(AnswerText("Batch Time   Input Size   Scheduling Delay   Processing Time   Total Delay\n"
                               "2026/11/28 07:00:20   400 events   2 ms   3 s   3 s\n"
                               "2026/11/28 07:00:10   400 events   11 s   3 s   14 s\n"
                               "2026/11/28 07:00:00   400 events   4 ms   21 s   21 s\n")),
            "A table of Spark's web UI: 3 batches of a stream.\n"
            "A batch every 10.0 s: processing takes 3.0 s in the median, the longest wait is 11.0 s\n");
}

}  // namespace
}  // namespace sparkprof
