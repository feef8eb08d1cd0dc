// SPDX-License-Identifier: Apache-2.0
// Rules that read messages of text logs: python-bound, repeated-init, spill, small-files.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "analysis/testing/finding_test.h"

namespace sparkprof {
namespace {

// Adds a record at this second with its own template.
void AppendRecord(double second, const std::string& text_of_template, const std::string& text, int32_t executor,
                  LogRecords* logs, const std::string& logger = "A") {
  LogTemplate one;
  one.text = text_of_template;
  one.count = 1;
  logs->templates.push_back(one);
  logs->time_ns.push_back(ApplicationBuilder::Time(second));
  logs->level.push_back(LogLevel::kInfo);
  logs->executor.push_back(executor);
  logs->source.push_back(0);
  logs->line.push_back(static_cast<int64_t>(logs->line.size()) + 1);
  logs->template_row.push_back(static_cast<uint32_t>(logs->templates.size()) - 1);
  logs->text += "INFO " + logger + ": " + text;
  logs->text_end.push_back(logs->text.size());
}

class LogRulesTest : public StageFindingTest {
 protected:
  LogRulesTest() : StageFindingTest(1) {
    for (int64_t tid = 0; tid < 8; ++tid) {
      const size_t row = builder_.AddTask(tid, stage_, executor_, 10 * static_cast<double>(tid / 2),
                                          10 * static_cast<double>(tid / 2) + 10);
      tasks().Column(TaskMetric::kExecutorRunTime)[row] = 0;  // unknown, as in text logs
    }
    application().logs.sources = {"executor.log"};
    application().logs.templates = {{}};
  }

  void Log(double second, const std::string& text_of_template, const std::string& text,
           const std::string& logger = "A") {
    AppendRecord(second, text_of_template, text, executor_, &application().logs, logger);
  }

  void LogPython(int64_t total_ms, int64_t boot_ms, int64_t init_ms, const std::string& logger = "PythonRunner") {
    Log(1, "Times: total = <*>, boot = <*>, init = <*>, finish = <*>",
        fmt::format("Times: total = {}, boot = {}, init = {}, finish = {}", total_ms, boot_ms, init_ms,
                    total_ms - boot_ms - init_ms),
        logger);
  }
};

TEST_F(LogRulesTest, PythonWorkersThatRunForHalfOfTheTaskTimeAreNamed) {
  for (int i = 0; i < 8; ++i) LogPython(5'000, 10, 100, "PythonUDFRunner");
  const Finding finding = Found("python-bound");
  EXPECT_EQ(
      Weighed(finding),
      "medium, saves 8.0 s (0 ns to 37.5 s); wall; times that Spark's Python runners log; 0 ns of it to start and "
      "initialize the workers. Whether Python computes, sleeps or waits for rows is unknown without a profile");
  EXPECT_EQ(finding.title, "Python workers run for 50.0% of task time");
  EXPECT_EQ(finding.severity, Severity::kMedium);
  EXPECT_FALSE(Finds("repeated-init"));
  tasks().Column(TaskMetric::kDuration)[0] += kNanosPerSecond;
  EXPECT_FALSE(Finds("python-bound"));
}

TEST_F(LogRulesTest, WhatARewriteOfFunctionsOfRddsSavesIsUnknown) {
  for (int i = 0; i < 8; ++i) LogPython(9'000, 10, 100);
  const Finding finding = Found("python-bound");
  EXPECT_EQ(finding.severity, Severity::kLow);
  EXPECT_EQ(finding.saving.low_ns, 0);
}

TEST_F(LogRulesTest, TasksWhoseWorkersDoLittleAfterTheirStartAreTiny) {
  for (int64_t tid = 8; tid < 200; ++tid) {
    const double begin = 40 + 0.3 * static_cast<double>(tid);
    const size_t row = builder_.AddTask(tid, stage_, executor_, begin, begin + 0.3);
    tasks().Column(TaskMetric::kExecutorRunTime)[row] = 0;
  }
  for (int i = 0; i < 200; ++i) LogPython(300, 100, 100);
  EXPECT_TRUE(Finds("tiny-tasks"));
  EXPECT_FALSE(Finds("python-bound"));
  for (int i = 0; i < 300; ++i) LogPython(500, 100, 100);
  EXPECT_FALSE(Finds("tiny-tasks")) << "they work for 0.2 s on average";
}

TEST_F(LogRulesTest, ABroadcastOfAHundredMebibytesIsThatOfTheStageThatEndsBefore) {
  application().stages.back().submit_ns = ApplicationBuilder::Time(5);
  application().stages.back().end_ns = ApplicationBuilder::Time(10);
  const std::string begin = "Block <*> stored as ";
  Log(12, begin + "values in memory (estimated size <*> MiB, free <*> MiB)",
      "Block broadcast_1 stored as values in memory (estimated size 100.5 MiB, free 300.0 MiB)");
  Log(14, begin + "bytes in memory (estimated size <*> MiB, free <*> MiB)",
      "Block broadcast_1_piece0 stored as bytes in memory (estimated size 4.0 MiB, free 296.0 MiB)");
  const Finding finding = Found("large-broadcast");
  EXPECT_EQ(finding.title, "The driver broadcasts 100 MiB");
  EXPECT_EQ(finding.stages, std::vector<int64_t>{3});
  EXPECT_EQ(finding.saving.likely_ns, ApplicationBuilder::Nanos(2.25));
  application().stages.back().end_ns = ApplicationBuilder::Time(13);
  EXPECT_EQ(Found("large-broadcast").saving.likely_ns, ApplicationBuilder::Nanos(1));
}

TEST_F(LogRulesTest, ABroadcastOfLessIsNotLarge) {
  Log(12, "Block <*> stored as values in memory (estimated size <*> MiB, free <*> MiB)",
      "Block broadcast_1 stored as values in memory (estimated size 99.5 MiB, free 300.0 MiB)");
  EXPECT_FALSE(Finds("large-broadcast"));
}

TEST(LogRules, OneTaskOfMostOfTheTimeIsNamedThoughALogDoesNotShowTheCores) {
  ApplicationBuilder builder;
  Application& application = builder.application();
  const int32_t executor = builder.AddExecutor("driver", 1);
  const size_t row = builder.AddTask(1, builder.AddStage(3, 0, 0), executor, 0, 10);
  application.tasks.Column(TaskMetric::kExecutorRunTime)[row] = 0;  // unknown, as in text logs
  application.end_ns = ApplicationBuilder::Time(20);
  application.logs.sources = {"driver.log"};
  application.logs.templates = {{}};
  AppendRecord(1, "Got job <*>", "Got job 0", executor, &application.logs);
  const std::vector<Finding> findings = Answer(application).findings;
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings.front().title, "Stage 3: 1 task takes 10.0 s, and no other runs meanwhile");
  application.end_ns += 10;
  EXPECT_TRUE(Answer(application).findings.empty()) << "less than half of the time";
  AppendRecord(2, "Reading File path: <*>, range: <*>, partition values: <*>",
               "Reading File path: file:///t/a.csv.gz, range: 0-9, partition values: [empty row]", executor,
               &application.logs);
  ASSERT_FALSE(Answer(application).findings.empty()) << "only one task can read it";
  EXPECT_TRUE(
      Answer(application).findings.front().evidence.ends_with("it reads a gzip file, which only one task can read"));
}

TEST_F(LogRulesTest, AStreamThatWaitsForRowsAfterItsBatchIsNoGap) {
  const auto add_job = [&](int64_t id, double begin, double end) {
    builder_.AddJob(id, {});
    application().jobs.back().submit_ns = ApplicationBuilder::Time(begin);
    application().jobs.back().end_ns = ApplicationBuilder::Time(end);
  };
  add_job(0, 0, 30);
  add_job(1, 60, 100);
  EXPECT_TRUE(Finds("driver-gap"));
  Log(45, "Streaming query made progress: <*>", "Streaming query made progress: {");
  EXPECT_EQ(Found("driver-gap").title, "No job runs for 15.0% of the time: the driver program computes or waits");
  application().logs.time_ns.back() = ApplicationBuilder::Time(31);
  EXPECT_FALSE(Finds("driver-gap"));
}

TEST_F(LogRulesTest, AGapOfOneSecondIsWithinTheResolutionOfLogs) {
  for (const int64_t id : {0, 1}) {
    builder_.AddJob(id, {});
    application().jobs.back().submit_ns = ApplicationBuilder::Time(id == 0 ? 0 : 6);
    application().jobs.back().end_ns = ApplicationBuilder::Time(id == 0 ? 5 : 8);
  }
  application().end_ns = ApplicationBuilder::Time(8);
  Log(1, "Running Spark version <*>", "Running Spark version 4.1.1");
  EXPECT_FALSE(Finds("driver-gap"));
  application().jobs[0].end_ns -= 1;
  EXPECT_TRUE(Finds("driver-gap"));
}

TEST_F(LogRulesTest, ShortGapsBetweenTheJobsOfAnIteratorAddUp) {
  Log(1, "Running Spark version <*>", "Running Spark version 4.1.1");
  for (int64_t id = 0; id < 10; ++id) {
    builder_.AddJob(id, {});
    application().jobs.back().name = "toLocalIterator at job.py:7";
    // Jobs of 0.5 s every 1.4 s, in a log with a resolution of one second.
    const auto begin = static_cast<double>(static_cast<int64_t>(1.4 * static_cast<double>(id)));
    application().jobs.back().submit_ns = ApplicationBuilder::Time(begin);
    application().jobs.back().end_ns = ApplicationBuilder::Time(begin + 0.5);
    builder_.AddStage(10 + id, 0, id);
    application().stages.back().submit_ns = ApplicationBuilder::Time(begin);
    application().stages.back().end_ns = ApplicationBuilder::Time(begin + 0.5);
  }
  application().end_ns = ApplicationBuilder::Time(14);
  const Finding finding = Found("driver-gap");
  EXPECT_EQ(finding.what, "After its first job the application had 10 gaps without a job, 9.0 s in total");
  EXPECT_GT(finding.saving.likely_ns, 0);
}

TEST_F(LogRulesTest, AFileThatThreeStagesReadIsNotCached) {
  application().stages[0].submit_ns = ApplicationBuilder::Time(0);
  application().stages[0].end_ns = ApplicationBuilder::Time(10);
  for (const int64_t id : {4, 5}) {
    const auto begin = static_cast<double>(10 * id);
    const size_t row = builder_.AddTask(20 + id, builder_.AddStage(id, 0, 1), executor_, begin, begin + 5);
    tasks().Column(TaskMetric::kExecutorRunTime)[row] = 0;
    application().stages.back().submit_ns = ApplicationBuilder::Time(begin);
    application().stages.back().end_ns = ApplicationBuilder::Time(begin + 5);
  }
  const auto read = [&](double second, const char* file) {
    Log(second, "Reading File path: <*>, range: <*>, partition values: <*>",
        fmt::format(
            "Reading File path: file:///data/sales/{}.parquet, range: 0-26828602, partition values: [empty row]",
            file));
  };
  for (const double second : {1, 41, 51}) {
    read(second, "a");
    if (second < 50) read(second, "b");
  }
  const Finding finding = Found("repeated-read");
  EXPECT_EQ(finding.title, "Tasks read the same files 3 times, without a cache: file:///data/sales");
  EXPECT_EQ(finding.stages, (std::vector<int64_t>{3, 4, 5}));
  EXPECT_EQ(finding.saving.likely_ns, ApplicationBuilder::Nanos(3));
  application().logs.text_end.pop_back();
  application().logs.time_ns.pop_back();
  application().logs.template_row.pop_back();
  EXPECT_FALSE(Finds("repeated-read")) << "two of them";
}

TEST_F(LogRulesTest, PythonWorkersAreNamedWithTheLineOfTheStageThatRunsThem) {
  application().stages[0].name = "collect at job.py:7";
  const size_t row = builder_.AddTask(20, builder_.AddStage(4, 0, 1, "count at job.py:9"), executor_, 50, 60);
  tasks().Column(TaskMetric::kExecutorRunTime)[row] = 0;
  application().stages[0].submit_ns = ApplicationBuilder::Time(0);
  application().stages[0].end_ns = application().stages[1].submit_ns = ApplicationBuilder::Time(40);
  for (int i = 0; i < 8; ++i) LogPython(6'000, 10, 100);
  const Finding finding = Found("python-bound");
  EXPECT_EQ(finding.stages, std::vector<int64_t>{3});
  EXPECT_EQ(finding.frames, std::vector<std::string>{"collect at job.py:7"});
}

TEST_F(LogRulesTest, StartsOfPythonWorkersFromFourTenthsOfTheirTimeOnAreRepeated) {
  // A reused worker was started before its task.
  for (int i = 0; i < 8; ++i) LogPython(1'000, i % 2 == 0 ? 100 : -100, i % 2 == 0 ? 700 : 900);
  const Finding finding = Found("repeated-init");
  EXPECT_EQ(Weighed(finding), "low, saves 1.4 s (560 ms to 3.5 s); wall; times that Spark's Python runners log");
  EXPECT_EQ(finding.title, "Starting and initializing Python workers takes 40.0% of their time");
  EXPECT_EQ(finding.saving.likely_ns, ApplicationBuilder::Nanos(1.4));
  LogPython(1'000, 100, 699);
  EXPECT_FALSE(Finds("repeated-init"));
}

TEST_F(LogRulesTest, AFirstStartThatTakesLongIsNotRepeated) {
  LogPython(9'000, 7'000, 1'000);
  for (int i = 0; i < 9; ++i) LogPython(1'000, 100, 600);
  EXPECT_FALSE(Finds("repeated-init"));
}

TEST_F(LogRulesTest, TheFirstStartsOfPythonWorkersAreNotRepeated) {
  for (int i = 0; i < 7; ++i) LogPython(1'000, 500, 500);
  EXPECT_FALSE(Finds("repeated-init"));
}

TEST_F(LogRulesTest, MessagesOfSpillsAddUp) {
  const auto spill = [&](double second, const char* size) {
    Log(second, "Thread <*> spilling sort data of <*> to disk (<*> times so far)",
        fmt::format("Thread 62 spilling sort data of {} to disk (2 times so far)", size));
  };
  spill(1, "21.5 MiB");
  spill(3, "10.4 MiB");
  EXPECT_FALSE(Finds("spill"));
  spill(3, "103.0 KiB");
  const Finding finding = Found("spill");
  EXPECT_EQ(Weighed(finding), "low, saves 81 ms (40 ms to 126 ms); wall; from the first to the last spill: 2.0 s");
  EXPECT_EQ(finding.title, "Tasks spill 32.0 MiB of memory to disk");
  EXPECT_EQ(finding.evidence, "from the first to the last spill: 2.0 s");
  const std::string window = "No Partition Defined for Window operation! Moving all data to a single partition";
  Log(4, window.c_str(), window);
  EXPECT_FALSE(Finds("spill")) << "more partitions do not help the window's only task";
}

TEST_F(LogRulesTest, MessagesOfFiveHundredSmallFilesAreNamed) {
  const auto read = [&](double second, int64_t begin, int64_t end) {
    Log(second, "Reading File path: <*>, range: <*>, partition values: <*>",
        fmt::format("Reading File path: file:///t/part-1.csv, range: {}-{}, partition values: [empty row]", begin,
                    end));
  };
  for (int i = 0; i < 499; ++i) read(i < 400 ? 1 : 21, 0, 1'000);
  read(21, 134'217'728, 134'217'800);  // the rest of a large file
  EXPECT_FALSE(Finds("small-files"));
  read(21, 0, 1'000);
  const Finding finding = Found("small-files");
  EXPECT_EQ(Weighed(finding), "high, saves 16.0 s (8.0 s to 25.0 s); cpu; from the first to the last: 20.0 s");
  EXPECT_EQ(finding.title, "Scans read 500 small files of 1000 B on average");
  EXPECT_LT(finding.saving.likely_ns, 20 * kNanosPerSecond);
  EXPECT_GT(finding.saving.likely_ns, 15 * kNanosPerSecond);
}

TEST_F(LogRulesTest, MessagesOfFiveHundredFilesThatTasksWriteInShortTimeAreNamed) {
  const auto write = [&](double second) {
    Log(second, "ParquetRecordWriter [block size: <*>, row group padding size: <*>, validating: <*>]",
        "ParquetRecordWriter [block size: 134217728b, row group padding size: 8388608b, validating: false]");
  };
  for (int i = 0; i < 499; ++i) write(i < 400 ? 1 : 21);
  EXPECT_FALSE(Finds("many-output-files"));
  write(21);
  const Finding finding = Found("many-output-files");
  EXPECT_EQ(finding.title, "Tasks write 500 small files");
  EXPECT_LE(finding.saving.likely_ns, 20 * kNanosPerSecond);
  application().logs.time_ns.back() = ApplicationBuilder::Time(102);
  EXPECT_FALSE(Finds("many-output-files")) << "one in 0.2 s may be large";
}

TEST_F(LogRulesTest, BlocksThatALaterStageComputesAgainHaveItsTimeAsSaving) {
  application().stages[0].submit_ns = ApplicationBuilder::Time(0);
  application().stages[0].end_ns = ApplicationBuilder::Time(40);
  const size_t row = builder_.AddTask(20, builder_.AddStage(4, 0, 1, "count at job.py:9"), executor_, 50, 60);
  tasks().Column(TaskMetric::kExecutorRunTime)[row] = 0;
  application().stages[1].submit_ns = ApplicationBuilder::Time(50);
  application().stages[1].end_ns = ApplicationBuilder::Time(60);
  const auto log = [&](double second, const std::string& begin, const std::string& end) {
    Log(second, begin + "<*>" + end, begin + "rdd_7_1" + end);
  };
  for (int i = 0; i < 3; ++i) log(10, "Not enough space to cache ", " in memory! (computed 3 MiB so far)");
  EXPECT_FALSE(Finds("evicted-cache"));
  for (int i = 0; i < 3; ++i) log(51, "Not enough space to cache ", " in memory! (computed 3 MiB so far)");
  log(52, "Found block ", " locally");
  const Finding finding = Found("evicted-cache");
  EXPECT_EQ(finding.stages, std::vector<int64_t>{4});
  EXPECT_EQ(finding.saving.likely_ns, ApplicationBuilder::Nanos(3.75));
  log(52, "Persisting block ", " to disk instead.");
  EXPECT_EQ(Found("evicted-cache").saving.likely_ns, 0);
}

TEST_F(LogRulesTest, FilesOfAnRddAreNamedByTheirSplits) {
  for (int i = 0; i < 500; ++i)
    Log(i < 400 ? 1 : 21, "Input split: <*>", fmt::format("Input split: file:/t/log{}.txt:0+330", i));
  EXPECT_EQ(Found("small-files").title, "Scans read 500 small files of 330 B on average");
}

TEST_F(LogRulesTest, ATaskIsNoStragglerBesideTasksOfUnknownDuration) {
  MetricColumn& durations = tasks().Column(TaskMetric::kDuration);
  for (size_t row = 1; row < 8; ++row) durations[row] = kNanosPerSecond;
  EXPECT_TRUE(Finds("straggler"));
  for (size_t row = 1; row < 8; ++row) durations[row] = 0;
  EXPECT_FALSE(Finds("straggler"));
}

TEST_F(LogRulesTest, WithSparksMetricsTheMessagesAreNotCountedAgain) {
  for (int i = 0; i < 8; ++i) LogPython(9'000, 100, 8'000);
  EXPECT_TRUE(Finds("repeated-init"));
  tasks().Column(TaskMetric::kExecutorRunTime)[0] = kNanosPerSecond;
  EXPECT_FALSE(Finds("repeated-init"));
  EXPECT_FALSE(Finds("python-bound"));
}

TEST_F(LogRulesTest, AStoreThatThrottlesIsNamedWithItsFolders) {
  const std::string text =
      "AWSServiceThrottledException: PUT on acme/day=1/part-1: com.amazonaws.services.s3.model.AmazonS3Exception: "
      "Please reduce your request rate. (Service: Amazon S3; Status Code: 503; Error Code: SlowDown)";
  for (int i = 0; i < 2; ++i) Log(i, "AWSServiceThrottledException: <*>", text);
  EXPECT_FALSE(Finds("store-throttling"));
  Log(7, "AWSServiceThrottledException: <*>", text);
  const Finding finding = Found("store-throttling");
  EXPECT_TRUE(finding.title.ends_with(": 3 reports")) << finding.title;
  EXPECT_EQ(finding.evidence,
            "7.0 s from the first to the last of 3 reports in logs and failures of tasks; 3 for acme/day=1");
  EXPECT_FALSE(finding.is_failure);
}

TEST_F(LogRulesTest, ConnectionsToTheMetastoreAreWaits) {
  Log(1, "MetaStoreClient lost connection. <*>", "MetaStoreClient lost connection. Attempting to reconnect (1 of 24)");
  Log(9, "MetaStoreClient lost connection. <*>", "MetaStoreClient lost connection. Attempting to reconnect (2 of 24)");
  EXPECT_FALSE(Finds("catalog-wait")) << "no end";
  Log(13, "Connected to metastore.", "Connected to metastore.");
  const Finding finding = Found("catalog-wait");
  EXPECT_EQ(finding.title, "Waiting for the Hive metastore takes 12.0 s");
  EXPECT_TRUE(finding.saving.IsKnown());
}

TEST_F(LogRulesTest, AWarningThatExplainsLostTimeIsNamedWithItsRemedy) {
  const std::string behind =
      "Current batch is falling behind. The trigger interval is 1000 milliseconds, but spent {} milliseconds";
  for (const int spent : {4210, 4988})
    Log(spent, "Current batch is falling behind. <*>", fmt::format(fmt::runtime(behind), spent));
  const Finding finding = Found("failure");
  EXPECT_FALSE(finding.is_failure);
  EXPECT_EQ(finding.title, "Batches of a stream take longer than their trigger interval, so the stream falls behind");
  EXPECT_TRUE(finding.evidence.starts_with("2 messages of the logs, the last one: ")) << finding.evidence;
  EXPECT_NE(finding.evidence.find("spent 4988"), std::string::npos) << finding.evidence;
}

TEST_F(LogRulesTest, ACommitIsSlowFromAMinuteOn) {
  Log(1, "Write Job <*> committed. <*>", "Write Job 7 committed. Elapsed time: 59999 ms.");
  EXPECT_FALSE(Finds("failure"));
  Log(90, "Write Job <*> committed. <*>", "Write Job 8 committed. Elapsed time: 60000 ms.");
  EXPECT_TRUE(Found("failure").title.starts_with("The driver commits the files of a write one by one"));
}

TEST_F(LogRulesTest, ATaskThatWritesNothingMoreIsNamedOnlyInAnExecutorsLog) {
  tasks().outcome[7] = TaskOutcome::kRunning;
  Log(31, "Starting receiver", "Executor task launch worker for task 7 Starting receiver");
  Log(632, "Removing RDD <*>", "Removing RDD 8");
  EXPECT_FALSE(Finds("failure")) << "the log shows jobs";
  application().jobs.clear();
  application().ended = false;
  EXPECT_EQ(Found("failure").title, "Task 7 wrote nothing for 10.0 min after its last message");
  application().logs.time_ns.back() = ApplicationBuilder::Time(630);
  EXPECT_FALSE(Finds("failure"));
}

}  // namespace
}  // namespace sparkprof
