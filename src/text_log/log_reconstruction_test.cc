// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>

#include "base/time.h"
#include "text_log/text_log_reader.h"

namespace sparkprof {
namespace {

constexpr int64_t kTen = 1704103200 * kNanosPerSecond;  // 2024-01-01 10:00:00

Application Read(std::initializer_list<std::pair<const char*, std::string>> files) {
  Application application;
  TextLogReader reader(&application);
  for (const auto& [name, text] : files) {
    reader.BeginFile(name);
    reader.AddLines(text);
    reader.EndFile();
  }
  reader.Finish();
  return application;
}

// Two jobs at once, the second with a parent stage that is skipped and a task that is retried.
constexpr const char* kDriver =
    "24/01/01 10:00:00 INFO SparkContext: Running Spark version 3.5.7\n"
    "24/01/01 10:00:00 INFO SparkContext: Submitted application: Two at once\n"
    "24/01/01 10:00:01 INFO DAGScheduler: Got job 0 (count at A.scala:1) with 1 output partitions\n"
    "24/01/01 10:00:01 INFO DAGScheduler: Final stage: ResultStage 0 (count at A.scala:1)\n"
    "24/01/01 10:00:01 INFO DAGScheduler: Parents of final stage: List()\n"
    "24/01/01 10:00:01 INFO TaskSchedulerImpl: Adding task set 0.0 with 1 tasks resource profile 0\n"
    "24/01/01 10:00:01 INFO TaskSetManager: Starting task 0.0 in stage 0.0 (TID 0) (host-a, executor 1, partition 0, "
    "ANY, "
    "8052 bytes) taskResourceAssignments Map()\n"
    "24/01/01 10:00:02 INFO DAGScheduler: Got job 1 (collect at B.scala:2) with 2 output partitions\n"
    "24/01/01 10:00:02 INFO DAGScheduler: Final stage: ResultStage 2 (collect at B.scala:2)\n"
    "24/01/01 10:00:02 INFO DAGScheduler: Parents of final stage: List(ShuffleMapStage 1)\n"
    "24/01/01 10:00:02 INFO TaskSchedulerImpl: Adding task set 2.0 with 2 tasks\n"
    "24/01/01 10:00:02 INFO TaskSetManager: Starting task 0.0 in stage 2.0 (TID 1, host-b, executor 2, partition 4, "
    "NODE_LOCAL, 10 bytes)\n"
    "24/01/01 10:00:03 WARN TaskSetManager: Lost task 0.0 in stage 2.0 (TID 1, host-b, executor 2): "
    "java.io.IOException: "
    "disk\n"
    "\tat A.b(A.java:1)\n"
    "24/01/01 10:00:03 INFO TaskSetManager: Starting task 0.10 in stage 2.0 (TID 2, host-b, executor 2, partition 4, "
    "NODE_LOCAL, 10 bytes)\n"
    "24/01/01 10:00:04 INFO TaskSetManager: Finished task 0.0 in stage 0.0 (TID 0) in 2750 ms on host-a (executor 1) "
    "(1/1)\n"
    "24/01/01 10:00:04 INFO DAGScheduler: ResultStage 0 (count at A.scala:1) finished in 2.8 s\n"
    "24/01/01 10:00:04 INFO DAGScheduler: Job 0 finished: count at A.scala:1, took 2.900000 s\n"
    "24/01/01 10:00:05 ERROR TaskSchedulerImpl: Lost executor 2 on host-b: Command exited with code 137\n"
    "24/01/01 10:00:05 WARN TaskSetManager: Lost task 0.10 in stage 2.0 (TID 2) (host-b executor 2): TaskKilled (Stage "
    "cancelled)\n"
    "24/01/01 10:00:06 INFO DAGScheduler: ResultStage 2 (collect at B.scala:2) failed in 4.1 s due to Job aborted\n"
    "24/01/01 10:00:06 INFO DAGScheduler: Job 1 failed: collect at B.scala:2, took 4.2 s\n";

TEST(LogReconstructionTest, ConcurrentJobsKeepTheirStagesAndTasks) {
  const Application application = Read({{"driver.log", kDriver}});
  EXPECT_EQ(application.name, "Two at once");
  EXPECT_EQ(application.spark_version, "3.5.7");
  ASSERT_EQ(application.jobs.size(), 2u);
  EXPECT_EQ(application.jobs[0].status, RunStatus::kSucceeded);
  EXPECT_EQ(application.jobs[0].stages, (std::vector<int64_t>{0}));
  EXPECT_EQ(application.jobs[1].status, RunStatus::kFailed);
  EXPECT_EQ(application.jobs[1].stages, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(application.jobs[1].failure, "Job aborted");
  ASSERT_EQ(application.stages.size(), 3u);
  EXPECT_EQ(application.stages[2].id, 1);
  EXPECT_EQ(application.stages[2].status, RunStatus::kSkipped);
  EXPECT_EQ(application.stages[1].job, 1);
}

TEST(LogReconstructionTest, AttemptsAreToldApartAndEndAsTheyEnded) {
  const Application application = Read({{"driver.log", kDriver}});
  const Tasks& tasks = application.tasks;
  ASSERT_EQ(tasks.Size(), 3u);
  EXPECT_EQ(tasks.outcome[1], TaskOutcome::kFailed);
  EXPECT_NE(application.profile.strings.Get(tasks.reason[1]).find("java.io.IOException: disk\n\tat A.b"),
            std::string_view::npos);
  EXPECT_EQ(tasks.attempt[2], 10);
  EXPECT_EQ(tasks.outcome[2], TaskOutcome::kKilled);
  EXPECT_EQ(tasks.partition[2], 4);
  ASSERT_EQ(application.executors.size(), 3u);  // the driver too: it wrote the log
  EXPECT_EQ(application.executors[1].host, "host-b");
  EXPECT_EQ(application.executors[1].remove_reason, "Command exited with code 137");
}

TEST(LogReconstructionTest, ATaskWhoseCommitWasDeniedIsKilledAsInSpark) {
  std::string log = kDriver;
  const std::string killed = "TaskKilled (Stage cancelled)";
  log.replace(log.find(killed), killed.size(),
              "TaskCommitDenied (Driver denied task commit) for job: 1, partition: 4, attemptNumber: 10");
  const Application application = Read({{"driver.log", log.c_str()}});
  EXPECT_EQ(application.tasks.outcome[2], TaskOutcome::kKilled);
}

TEST(LogReconstructionTest, MillisecondsOfADurationNarrowAClockOfSeconds) {
  const Application application = Read({{"driver.log", kDriver}});
  EXPECT_EQ(application.tasks.launch_ns[0], kTen + 1250 * kNanosPerMilli);
  EXPECT_EQ(application.tasks.finish_ns[0], kTen + 4000 * kNanosPerMilli);
  EXPECT_EQ(application.tasks.Column(TaskMetric::kDuration)[0], 2750 * kNanosPerMilli);
  EXPECT_EQ(application.jobs[0].end_ns - application.jobs[0].submit_ns, 2900 * kNanosPerMilli);
}

constexpr const char* kExecutor =
    "24/01/01 10:00:00 INFO Executor: Starting executor ID 2 on host host-b\n"
    "24/01/01 10:00:02 INFO CoarseGrainedExecutorBackend: Got assigned task 1\n"
    "24/01/01 10:00:02 INFO Executor: Running task 0.0 in stage 2.0 (TID 1)\n"
    "24/01/01 10:00:03 ERROR Executor: Exception in task 0.0 in stage 2.0 (TID 1)\n"
    "java.io.IOException: disk\n"
    "\tat A.b(A.java:1)\n"
    "24/01/01 10:00:03 INFO Executor: Running task 1.0 in stage 2.0 (TID 7)\n"
    "24/01/01 10:00:09 INFO Executor: Finished task 1.0 in stage 2.0 (TID 7). 1024 bytes result sent to driver\n";

TEST(LogReconstructionTest, AnExecutorsLogAloneGivesItsTasks) {
  const Application application = Read({{"executor.log", kExecutor}});
  const Tasks& tasks = application.tasks;
  ASSERT_EQ(tasks.Size(), 2u);
  EXPECT_TRUE(application.jobs.empty());
  EXPECT_EQ(tasks.outcome[0], TaskOutcome::kFailed);
  EXPECT_EQ(tasks.outcome[1], TaskOutcome::kSucceeded);
  EXPECT_EQ(tasks.finish_ns[1], kTen + 9 * kNanosPerSecond);
  EXPECT_EQ(tasks.Column(TaskMetric::kResultSize)[1], 1024);
  EXPECT_EQ(application.executors[static_cast<size_t>(tasks.executor[1])].id, "2");
}

TEST(LogReconstructionTest, WhatTheDriverSaysCountsMoreInAnyOrderOfFiles) {
  const Application one = Read({{"driver.log", kDriver}, {"executor.log", kExecutor}});
  const Application other = Read({{"executor.log", kExecutor}, {"driver.log", kDriver}});
  for (const Application* application : {&one, &other}) {
    ASSERT_EQ(application->tasks.Size(), 4u);
    for (size_t row = 0; row < 4; ++row) {
      if (application->tasks.id[row] != 0) continue;
      EXPECT_EQ(application->tasks.launch_ns[row], kTen + 1250 * kNanosPerMilli);
    }
    EXPECT_EQ(application->executors.size(), 3u);
    EXPECT_EQ(application->logs.sources.size(), 2u);
  }
}

TEST(LogReconstructionTest, ALogThatIsCutLeavesWhatRanRunning) {
  const std::string text = kDriver;
  const Application application = Read({{"driver.log", text.substr(0, text.find("24/01/01 10:00:03"))}});
  ASSERT_EQ(application.jobs.size(), 2u);
  EXPECT_EQ(application.jobs[0].status, RunStatus::kRunning);
  EXPECT_EQ(application.tasks.outcome[1], TaskOutcome::kRunning);
  EXPECT_FALSE(application.ended);
  EXPECT_EQ(application.end_ns, kTen + 2 * kNanosPerSecond);
}

TEST(LogReconstructionTest, AnEmptyLogIsAnEmptyApplication) {
  const Application application = Read({{"stderr", ""}});
  EXPECT_TRUE(application.jobs.empty());
  EXPECT_EQ(application.logs.Size(), 0u);
}

// One line of each logger, a second apart from 10:00:00 on.
std::string Lines(std::initializer_list<const char*> messages) {
  std::string text;
  int second = 0;
  for (const char* const message : messages) {
    text +=
        "24/01/01 10:00:" + std::string(second < 10 ? "0" : "") + std::to_string(second) + " INFO " + message + "\n";
    ++second;
  }
  return text;
}

TEST(LogReconstructionTest, AnApplicationLastsFromTheFirstToTheLastRecordOfItsDriver) {
  const std::string driver = Lines(
      {"A: before", "SparkContext: Submitted application: etl", "SparkContext: Successfully stopped SparkContext"});
  const Application ended = Read({{"driver.log", driver}});
  EXPECT_EQ(ended.start_ns, kTen);
  EXPECT_EQ(ended.end_ns, kTen + 2 * kNanosPerSecond);
  EXPECT_TRUE(ended.ended);
  EXPECT_TRUE(
      Read({{"driver.log", Lines({"SparkContext: Successfully stopped SparkContext (Uptime: 15588 ms)"})}}).ended);
  // An executor's log does not change the start, and only an unfinished application's end.
  const std::string executor =
      "24/01/01 09:59:50 INFO Executor: Starting executor ID 2 on host h\n24/01/01 10:00:09 INFO A: late\n";
  const Application both = Read({{"driver.log", driver}, {"executor.log", executor}});
  EXPECT_EQ(both.start_ns, kTen);
  EXPECT_EQ(both.end_ns, kTen + 2 * kNanosPerSecond);
  const Application cut =
      Read({{"driver.log", Lines({"SparkContext: Submitted application: etl"})}, {"executor.log", executor}});
  EXPECT_EQ(cut.start_ns, kTen);
  EXPECT_EQ(cut.end_ns, kTen + 9 * kNanosPerSecond);
}

TEST(LogReconstructionTest, ALaterContextInTheSameFileIsCountedAndLeftOut) {
  const Application application = Read({{"driver.log", Lines({
                                                           "SparkContext: Running Spark version 3.5.7",
                                                           "SparkContext: Submitted application: first",
                                                           "Worker: Running Spark version 3.5.7",
                                                           "SparkContext: Running Spark version 3.5.8",
                                                           "SparkContext: Submitted application: second",
                                                           "SparkContext: Running Spark version 3.5.9",
                                                       })}});
  EXPECT_EQ(application.name, "first");
  EXPECT_EQ(application.spark_version, "3.5.7");
  ASSERT_EQ(application.losses.size(), 1u);
  EXPECT_EQ(application.losses[0].count, 2);
}

TEST(LogReconstructionTest, TheApplicationsIdIsFoundInItsMessages) {
  const auto id_of = [](const char* message) { return Read({{"driver.log", Lines({message})}}).id; };
  EXPECT_EQ(id_of("StandaloneSchedulerBackend: Connected to Spark cluster with app ID app-2024-0001"), "app-2024-0001");
  EXPECT_EQ(id_of("EventLoggingListener: Logging events to file:/tmp/local-17.inprogress"), "local-17");
  EXPECT_EQ(id_of("EventLoggingListener: Logging events to file:/tmp/eventlog_v2_app-1"), "app-1");
  EXPECT_EQ(id_of("EventLoggingListener: Logging events to file:/tmp/local-17.zstd.inprogress"), "local-17");
}

TEST(LogReconstructionTest, AFullExecutorHasAsManyCoresAsTasksWhenTheFirstOneEnds) {
  const auto start = [](int task) {
    return fmt::format(
        "TaskSetManager: Starting task {0}.0 in stage 0.0 (TID {0}) (host-a, executor 1, partition {0}, PROCESS_LOCAL, "
        "7 bytes) taskResourceAssignments Map()",
        task);
  };
  const auto finish = [](int task, int of) {
    return fmt::format(
        "TaskSetManager: Finished task {0}.0 in stage 0.0 (TID {0}) in 90 ms on host-a (executor 1) (1/{1})", task, of);
  };
  for (const int planned : {3, 4}) {
    const std::string set =
        fmt::format("TaskSchedulerImpl: Adding task set 0.0 with {} tasks resource profile 0", planned);
    const Application application =
        Read({{"driver.log", Lines({set.c_str(), start(0).c_str(), start(1).c_str(), start(2).c_str(),
                                    finish(0, planned).c_str(), finish(1, planned).c_str()})}});
    ASSERT_FALSE(application.executors.empty());
    EXPECT_EQ(application.executors[0].cores, planned == 4 ? 2 : 0) << "tasks that fit leave the number unknown";
  }
}

TEST(LogReconstructionTest, AnExecutorsOwnLogHasItsCoresThoughItsTasksOverlapInWholeSeconds) {
  const auto name = [](int task) { return fmt::format("task {0}.0 in stage 0.0 (TID {0})", task); };
  std::vector<std::string> messages;
  for (int round = 0; round < 2; ++round) {
    for (int task = 2 * round; task < 2 * round + 2; ++task) {
      messages.push_back(
          fmt::format("TaskSetManager: Starting {} (localhost, executor driver, partition 0, "
                      "PROCESS_LOCAL, 7 bytes) ",
                      name(task)));
      messages.push_back("Executor: Running " + name(task));
    }
    for (int task = 2 * round; task < 2 * round + 2; ++task) {
      messages.push_back(fmt::format("Executor: Finished {}. 7 bytes result sent to driver", name(task)));
    }
    for (int task = 2 * round; task < 2 * round + 2; ++task) {
      messages.push_back(
          fmt::format("TaskSetManager: Finished {} in 900 ms on localhost (executor driver) (1/4)", name(task)));
    }
  }
  std::string log;
  for (const std::string& message : messages) log += Lines({message.c_str()});
  const Application application = Read({{"driver.log", log}});
  ASSERT_FALSE(application.executors.empty());
  EXPECT_EQ(application.executors[0].cores, 2);
}

TEST(LogReconstructionTest, AnExecutorHasItsHostCoresAndTimes) {
  const Application application =
      Read({{"driver.log", Lines({
                               "StandaloneSchedulerBackend: Granted executor ID app-1/3 on hostPort 10.0.0.1:43000 "
                               "with 4 core(s), 1024.0 MiB RAM",
                               "StandaloneSchedulerBackend$StandaloneDriverEndpoint: Registered executor "
                               "NettyRpcEndpointRef(spark-client://Executor) (/10.0.0.2:43210) with ID 4",
                               "TaskSchedulerImpl: Lost executor 4 on 10.0.0.2: worker lost",
                               "TaskSchedulerImpl: Lost executor 4 on 10.0.0.2: again",
                           })}});
  ASSERT_EQ(application.executors.size(), 3u);
  EXPECT_EQ(application.executors[0].id, "3");
  EXPECT_EQ(application.executors[0].host, "10.0.0.1");
  EXPECT_EQ(application.executors[0].cores, 4);
  EXPECT_EQ(application.executors[0].add_ns, 0) << "granted is a promise";
  EXPECT_EQ(application.executors[1].id, "4");
  EXPECT_EQ(application.executors[1].host, "10.0.0.2");
  EXPECT_EQ(application.executors[1].add_ns, kTen + kNanosPerSecond);
  EXPECT_EQ(application.executors[1].remove_ns, kTen + 2 * kNanosPerSecond);
  EXPECT_EQ(application.executors[1].remove_reason, "worker lost");
  EXPECT_EQ(application.executors[2].id, "driver");
}

TEST(LogReconstructionTest, AStagesTimesAndTasksAreThoseOfItsMessages) {
  const Application application =
      Read({{"driver.log", Lines({
                               "DAGScheduler: Submitting ResultStage 7 (MapPartitionsRDD[1] at count at A.scala:1), "
                               "which has no missing parents",
                               "TaskSchedulerImpl: Adding task set 7.1 with 12 tasks resource profile 0",
                               "TaskSchedulerImpl: Adding task set 8.0 with 3 tasks",
                               "DAGScheduler: ResultStage 7 (count at A.scala:1) finished in 2.5 s",
                           })}});
  ASSERT_EQ(application.stages.size(), 2u);
  const Stage& stage = application.stages[0];
  EXPECT_EQ(stage.id, 7);
  EXPECT_EQ(stage.attempt, 1);
  EXPECT_EQ(stage.task_count, 12);
  EXPECT_EQ(stage.status, RunStatus::kSucceeded);
  EXPECT_EQ(stage.name, "count at A.scala:1");
  EXPECT_EQ(stage.end_ns - stage.submit_ns, 2500 * kNanosPerMilli);
  EXPECT_EQ(application.stages[1].submit_ns, kTen + 2 * kNanosPerSecond);
  EXPECT_EQ(application.stages[1].name, "stage 8");
}

TEST(LogReconstructionTest, TheSecondAttemptOfASpeculatableTaskIsSpeculative) {
  const Application application =
      Read({{"driver.log",
             Lines({
                 "TaskSetManager: Starting task 3.0 in stage 5.0 (TID 9) (h, executor 1, partition 3, ANY, 10 bytes)",
                 "TaskSetManager: Marking task 3 in stage 5.0 (on h) as speculatable because it ran more than 100 ms",
                 "TaskSetManager: Starting task 4.0 in stage 5.0 (TID 10) (h, executor 1, partition 4, ANY, 10 bytes)",
                 "TaskSetManager: Starting task 3.1 in stage 5.0 (TID 11) (h, executor 1, partition 3, ANY, 10 bytes)",
                 "TaskSetManager: Starting task 4.1 in stage 5.0 (TID 12) (h, executor 1, partition 4, ANY, 10 bytes)",
             })}});
  EXPECT_EQ(application.tasks.speculative, (std::vector<uint8_t>{0, 0, 1, 0}));
}

struct Wording {
  const char* version;
  const char* begin;
  const char* end;
};

TEST(LogReconstructionTest, EveryVersionsWordingOfATaskIsUnderstood) {
  const Wording wordings[] = {
      {"1.2", "Starting task 3.1 in stage 5.0 (TID 9, host-a, PROCESS_LOCAL, 1234 bytes)",
       "Finished task 3.1 in stage 5.0 (TID 9) in 1000 ms on host-a (1/2)"},
      {"1.6", "Starting task 3.1 in stage 5.0 (TID 9, host-a, partition 3,PROCESS_LOCAL, 1234 bytes)",
       "Finished task 3.1 in stage 5.0 (TID 9) in 1000 ms on host-a (1/2)"},
      {"2.0", "Starting task 3.1 in stage 5.0 (TID 9, host-a, partition 3, PROCESS_LOCAL, 1234 bytes)",
       "Finished task 3.1 in stage 5.0 (TID 9) in 1000 ms on host-a (1/2)"},
      {"2.4", "Starting task 3.1 in stage 5.0 (TID 9, host-a, executor 1, partition 3, PROCESS_LOCAL, 1234 bytes)",
       "Finished task 3.1 in stage 5.0 (TID 9) in 1000 ms on host-a (executor 1) (1/2)"},
      {"3.5",
       "Starting task 3.1 in stage 5.0 (TID 9) (host-a, executor 1, partition 3, PROCESS_LOCAL, 1234 bytes) "
       "taskResourceAssignments Map()",
       "Finished task 3.1 in stage 5.0 (TID 9) in 1000 ms on host-a (executor 1) (1/2)"},
      {"4.1", "Starting task 3.1 in stage 5.0 (TID 9) (host-a,executor 1, partition 3, PROCESS_LOCAL, 1234 bytes) ",
       "Finished task 3.1 in stage 5.0 (TID 9) in 1000 ms on host-a (executor 1) (1/2)"}};
  for (const Wording& wording : wordings) {
    const Application application =
        Read({{"log", std::string("24/01/01 10:00:00 INFO TaskSetManager: ") + wording.begin +
                          "\n24/01/01 10:00:01 INFO TaskSetManager: " + wording.end + "\n"}});
    const Tasks& tasks = application.tasks;
    ASSERT_EQ(tasks.Size(), 1u) << wording.version;
    EXPECT_EQ(tasks.id[0], 9) << wording.version;
    EXPECT_EQ(tasks.index[0], 3) << wording.version;
    EXPECT_EQ(tasks.attempt[0], 1) << wording.version;
    EXPECT_EQ(tasks.outcome[0], TaskOutcome::kSucceeded) << wording.version;
    EXPECT_EQ(tasks.locality[0], 0) << wording.version;
    EXPECT_EQ(tasks.finish_ns[0] - tasks.launch_ns[0], kNanosPerSecond) << wording.version;
  }
}

// The driver's clock is two hours ahead of UTC.
TEST(LogReconstructionTest, ProgressOfAStreamIsABatch) {
  const Application application =
      Read({{"driver.log",
             "24/01/01 12:00:00 INFO SparkContext: Running Spark version 4.1.1\n"
             "24/01/01 12:00:03 INFO ProgressReporter: Streaming query made progress: {\n"
             "  \"id\" : \"a\",\n  \"runId\" : \"r\",\n  \"name\" : \"counts\",\n"
             "  \"timestamp\" : \"2024-01-01T10:00:01.000Z\",\n  \"batchId\" : 4,\n  \"batchDuration\" : 2000,\n"
             "  \"durationMs\" : {\n    \"addBatch\" : 1500\n  },\n"
             "  \"stateOperators\" : [ {\n    \"numRowsTotal\" : 7,\n    \"commitTimeMs\" : 900\n  } ],\n"
             "  \"sources\" : [ {\n    \"numInputRows\" : 5\n  } ]\n}\n"
             "24/01/01 12:00:04 INFO ProgressReporter: Streaming query made progress: {\n  \"runId\" : \"r\",\n"
             "24/01/01 12:00:05 INFO MicroBatchExecution: Query counts [id = a, runId = r] was stopped\n"}});
  ASSERT_EQ(application.streaming_queries.size(), 1u);
  EXPECT_EQ(application.streaming_queries[0].name, "counts");
  EXPECT_EQ(application.streaming_queries[0].end_ns, kTen + 2 * 3600 * kNanosPerSecond + 5 * kNanosPerSecond);
  ASSERT_EQ(application.streaming_batches.size(), 1u) << "what was cut is no batch";
  const StreamingBatch& batch = application.streaming_batches[0];
  EXPECT_EQ(batch.id, 4);
  EXPECT_EQ(batch.start_ns, kTen + 2 * 3600 * kNanosPerSecond + kNanosPerSecond) << "by the log's clock";
  EXPECT_EQ(batch.duration_ns, 2 * kNanosPerSecond);
  EXPECT_EQ(batch.input_rows, 5);
  EXPECT_EQ(batch.state_rows, 7);
}

TEST(LogReconstructionTest, ReasonsOnTheFollowingLinesBelongToTheLossOfTheirExecutor) {
  const Application application = Read(
      {{"driver",
        "24/01/01 10:00:00 INFO TaskSetManager: Starting task 0.0 in stage 0.0 (TID 0) (h, executor 9, partition 0, "
        "ANY, 8052 bytes) \n"
        "24/01/01 10:00:05 ERROR TaskSchedulerImpl: Lost executor 9 on 10.1.0.7: \n"
        "The executor with id 9 exited with exit code 52(JVM OOM).\n"
        "\n"
        "\n"
        "The API gave the following container statuses:\n"
        "\n"
        "\t container name: executor\n"
        "\t exit code: 52\n"
        "      \n"
        "24/01/01 10:00:05 WARN TaskSetManager: Lost task 0.0 in stage 0.0 (TID 0) (h executor 9): "
        "ExecutorLostFailure (executor 9 exited) Reason: \n"
        "Remote RPC client disassociated. Likely due to containers exceeding thresholds, or\n"
        "network issues.\n"
        "24/01/01 10:00:06 ERROR TaskSchedulerImpl: Executor 8 on h killed by driver.\n"}});
  ASSERT_EQ(application.executors.size(), 3u);  // the driver's log, too
  EXPECT_EQ(application.executors[0].remove_reason,
            "The executor with id 9 exited with exit code 52(JVM OOM). The API gave the following container statuses: "
            "container name: executor exit code: 52");
  EXPECT_EQ(application.executors[1].remove_reason, "Executor killed by driver.");
  EXPECT_NE(application.profile.strings.Get(application.tasks.reason[0]).find("thresholds, or\nnetwork issues."),
            std::string::npos);
}

TEST(LogReconstructionTest, TasksOfWholeSecondsFillTheirCores) {
  // One core, four tasks of 0.5 s: the next one is launched before the end of the last one is logged.
  std::string log =
      "24/01/01 10:00:00 INFO SparkContext: Running Spark version 3.5.7\n"
      "24/01/01 10:00:00 INFO TaskSchedulerImpl: Adding task set 0.0 with 4 tasks resource profile 0\n";
  const auto start = [&](int second, int task) {
    log += fmt::format(
        "24/01/01 10:00:{:02} INFO TaskSetManager: Starting task {}.0 in stage 0.0 (TID {}) (h, executor 1, partition "
        "{}, "
        "ANY, 8052 bytes) \n",
        second, task, task, task);
  };
  start(0, 0);
  for (int task = 0; task < 4; ++task) {
    if (task < 3) start((task + 1) / 2, task + 1);
    log += fmt::format(
        "24/01/01 10:00:{:02} INFO TaskSetManager: Finished task {}.0 in stage 0.0 (TID {}) in 500 ms on h (executor "
        "1) "
        "({}/4)\n",
        (task + 1) / 2, task, task, task + 1);
  }
  const Application application = Read({{"driver", log}});
  EXPECT_EQ(application.executors[0].cores, 1);
  for (size_t row = 0; row < 4; ++row) {
    EXPECT_EQ(application.tasks.launch_ns[row] - kTen, static_cast<int64_t>(row) * 500 * kNanosPerMilli);
    EXPECT_EQ(application.tasks.finish_ns[row] - application.tasks.launch_ns[row], 500 * kNanosPerMilli);
  }
}

TEST(LogReconstructionTest, GapsOfLogsAreNoticed) {
  const auto notice = [](const char* log) {
    const Application application = Read({{"driver", log}});
    return application.notices.empty() ? std::string() : application.notices.front().notice.text;
  };
  EXPECT_EQ(notice("24/01/01 10:00:00 WARN TaskSetManager: Lost task 7.0 in stage 2.0 (TID 41) (h executor 9): x\n"),
            "the logs have no lines of level INFO: only failures of tasks are known, not their successes");
  EXPECT_EQ(notice("24/01/01 10:00:00 INFO DAGScheduler: Got job 3 (count at A.scala:1) with 2 output partitions\n"),
            "the logs are an excerpt: they lack the start and the end of the application");
  EXPECT_EQ(notice("24/01/01 10:00:00 INFO DAGScheduler: Got job 0 (count at A.scala:1) with 2 output partitions\n"),
            "");
  EXPECT_EQ(notice("10:00:00 INFO DAGScheduler: Got job 0 (count at A.scala:1) with 2 output partitions\n"), "");
  EXPECT_EQ(notice("INFO DAGScheduler: Got job 0 (count at A.scala:1) with 2 output partitions\n"),
            "driver: its lines have no times: only durations in messages are known");
}

TEST(LogReconstructionTest, TheLogNamesTheMemoryOfExecutors) {
  const Application application = Read(
      {{"driver",
        "24/01/01 10:00:00 INFO ResourceProfile: Default ResourceProfile created, executor resources: Map(cores -> "
        "name: cores, amount: 4, script: , vendor: , memory -> name: memory, amount: 8192, script: , vendor: , offHeap "
        "-> name: offHeap, amount: 0, script: , vendor: ), task resources: Map(cpus -> name: cpus, amount: 1.0)\n"
        "24/01/01 10:00:01 INFO YarnAllocator: Will request 12 executor container(s) for  ResourceProfile Id: 0, each "
        "with 4 core(s) and 9011 MB memory (including 819 MB of overhead)\n"}});
  ASSERT_EQ(application.resource_profiles.size(), 1u);
  using Requests = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(application.resource_profiles[0].requests,
            (Requests{{"executor.memory", "8192"}, {"executor.memoryOverhead", "819"}}));
}

// Names what the logs lack; empty = they are whole.
std::string MissingFrom(const std::string& log) {
  const Application application = Read({{"driver", log}});
  for (const Loss& loss : application.losses) {
    if (loss.what == kExcerptLoss) return loss.reason;
  }
  return {};
}

constexpr const char* kStart =
    "24/01/01 10:00:00 INFO SparkContext: Running Spark version 3.5.7\n"
    "24/01/01 10:00:01 INFO TaskSchedulerImpl: Adding task set 0.0 with 800 tasks resource profile 0\n";
constexpr const char* kEnd = "24/01/01 10:09:00 INFO SparkContext: Successfully stopped SparkContext\n";

std::string Finished(int64_t tid, int64_t done) {
  return fmt::format(
      "24/01/01 10:00:09 INFO TaskSetManager: Finished task {}.0 in stage 0.0 (TID {}) in 500 ms on h (executor 1) "
      "({}/800)\n",
      tid, tid, done);
}

TEST(LogReconstructionTest, TasksThatTheLogLacksAreCountedByTheirNumbers) {
  EXPECT_EQ(MissingFrom(kStart + Finished(0, 1) + Finished(1, 2) + kEnd), "");
  EXPECT_EQ(MissingFrom(kStart + Finished(0, 1) + Finished(7, 2) + kEnd), "6 of at least 8 tasks");
  EXPECT_EQ(MissingFrom(kStart + Finished(0, 1) + Finished(7, 2)),
            "the end of the application and 6 of at least 8 tasks");
  // Without a start, tasks before the first line are unknown.
  EXPECT_EQ(MissingFrom(Finished(401, 401) + Finished(402, 402) + kEnd),
            "the start of the application and 400 of at least 402 tasks");
}

TEST(LogReconstructionTest, AJobWithoutAStageIsAGap) {
  const std::string job = "24/01/01 10:00:04 INFO DAGScheduler: Job 0 finished: count at A.scala:1, took 2.900000 s\n";
  EXPECT_EQ(MissingFrom(job), "the end of the application and the stages of its jobs");
  EXPECT_EQ(MissingFrom(kStart + job + Finished(0, 1) + kEnd), "");
}

TEST(LogReconstructionTest, TasksThatTheLogLacksAreCountedByTheCountsOfStages) {
  EXPECT_EQ(MissingFrom(kStart + Finished(0, 1) + Finished(1, 73) + kEnd), "71 of at least 73 tasks");
  EXPECT_EQ(
      MissingFrom(std::string(kStart) +
                  "24/01/01 10:08:00 INFO DAGScheduler: ResultStage 0 (count at A.scala:1) finished in 400 s\n" + kEnd),
      "800 of at least 800 tasks");
}

TEST(LogReconstructionTest, AStageThatWorkedWithoutALineOfATaskIsAGap) {
  const auto with = [](const char* seconds) {
    return MissingFrom(
        fmt::format("24/01/01 10:00:00 INFO SparkContext: Running Spark version 3.5.7\n"
                    "24/01/01 10:08:00 INFO DAGScheduler: ResultStage 9 (count at A.scala:1) finished in {} s\n{}",
                    seconds, kEnd));
  };
  EXPECT_EQ(with("400.1"), "1 of at least 1 tasks");
  EXPECT_EQ(with("0.002"), "") << "it may have been empty";
}

TEST(LogReconstructionTest, LogsOfWarningsLackLines) {
  EXPECT_EQ(
      MissingFrom("24/01/01 10:00:00 WARN TaskSetManager: Lost task 7.0 in stage 2.0 (TID 41) (h executor 9): x\n"),
      "the start and the end of the application and lines of level INFO");
}

TEST(LogReconstructionTest, AFewLinesThatOthersCutAreNoGap) {
  std::string log = kStart;
  for (int64_t task = 0; task < 200; ++task) {
    if (task != 77) log += Finished(task, task + 1);
  }
  EXPECT_EQ(MissingFrom(log + kEnd), "");
}

TEST(LogReconstructionTest, AStageWithoutAPlanBelongsToTheOnlyJob) {
  const std::string job =
      "24/01/01 10:00:00 INFO DAGScheduler: Got job 0 (count at A.scala:1) with 2 output partitions\n";
  const std::string stage = "24/01/01 10:00:00 INFO TaskSchedulerImpl: Adding task set 1.0 with 200 tasks\n";
  EXPECT_EQ(Read({{"driver", job + stage}}).stages[0].job, 0);
  const std::string other =
      "24/01/01 10:00:00 INFO DAGScheduler: Got job 1 (count at B.scala:1) with 2 output partitions\n";
  EXPECT_EQ(Read({{"driver", job + other + stage}}).stages[0].job, -1);
}

}  // namespace
}  // namespace sparkprof
