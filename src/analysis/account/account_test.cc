// SPDX-License-Identifier: Apache-2.0
#include "analysis/account/account.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "analysis/testing/application_builder.h"
#include "analysis/testing/worked_example.h"

namespace sparkprof {
namespace {

struct Booked : Account {
  std::optional<CoreLedger> core;
};

Booked AccountOf(const Application& application) {
  const AccountedRun run(application, SummarizeStages(application, KindsOfStacks(application)));
  return {run.account, run.Core()};
}

template <typename Entry>
int64_t Sum(const std::vector<Entry>& entries) {
  int64_t sum = 0;
  for (const Entry& entry : entries) sum += entry.ns;
  return sum;
}

// Seconds of a part, rounded to milliseconds: those of a stage (row), or of all.
template <typename Entry>
double Seconds(const std::vector<Entry>& entries, AccountPart part, int32_t stage = INT32_MAX) {
  int64_t sum = 0;
  for (const Entry& entry : entries) {
    if (entry.part == part && (stage == INT32_MAX || entry.stage == stage)) sum += entry.ns;
  }
  return std::round(static_cast<double>(sum) / 1e6) / 1e3;
}

TEST(AccountTest, CoreTimeOfTheWorkedExampleAddsUpToItsBudget) {
  WorkedExample example;
  const Booked account = AccountOf(example.application());
  ASSERT_TRUE(account.core);
  const std::vector<AccountEntry>& core = account.core->entries;
  EXPECT_EQ(account.core->budget_ns, 368 * kNanosPerSecond);
  EXPECT_EQ(Sum(core), 368 * kNanosPerSecond);
  EXPECT_EQ(Seconds(core, AccountPart::kCpu, 0), 80);
  EXPECT_EQ(Seconds(core, AccountPart::kGc, 0), 16);
  EXPECT_EQ(Seconds(core, AccountPart::kPython, 0), 12);
  EXPECT_EQ(Seconds(core, AccountPart::kOtherWait, 0), 7.6);
  EXPECT_EQ(Seconds(core, AccountPart::kSchedulerDelay, 0), 4.4);
  EXPECT_EQ(Seconds(core, AccountPart::kCpu, 1), 81);
  EXPECT_EQ(Seconds(core, AccountPart::kGc, 1), 4.3);
  EXPECT_EQ(Seconds(core, AccountPart::kFetch, 1), 5);
  EXPECT_EQ(Seconds(core, AccountPart::kOtherWait, 1), 9);
  EXPECT_EQ(Seconds(core, AccountPart::kSchedulerDelay, 1), 0.7);
  EXPECT_EQ(Seconds(core, AccountPart::kDriverQuery, 0), 8);
  EXPECT_EQ(Seconds(core, AccountPart::kDriverQuery, 1), 8);
  EXPECT_EQ(Seconds(core, AccountPart::kDriverProgram), 72);
  EXPECT_EQ(Seconds(core, AccountPart::kWave, 1), 14.286);
  EXPECT_EQ(Seconds(core, AccountPart::kSkew, 1), 45.714);
}

TEST(AccountTest, WallTimeOfTheWorkedExampleFollowsTheLongestTask) {
  WorkedExample example;
  const Booked account = AccountOf(example.application());
  EXPECT_EQ(Sum(account.wall), WorkedExample::kDuration);
  EXPECT_EQ(Seconds(account.wall, AccountPart::kStartUp), 8);
  EXPECT_EQ(Seconds(account.wall, AccountPart::kDriverQuery), 4);
  EXPECT_EQ(Seconds(account.wall, AccountPart::kCpu, 0), 20);
  EXPECT_EQ(Seconds(account.wall, AccountPart::kGc, 0), 4);
  EXPECT_EQ(Seconds(account.wall, AccountPart::kPython, 0), 3);
  EXPECT_EQ(Seconds(account.wall, AccountPart::kOtherWait, 1), 6);
  EXPECT_EQ(Seconds(account.wall, AccountPart::kDriverProgram), 18);
  int64_t now_ns = example.application().start_ns;
  for (const WallEntry& entry : account.wall) {
    EXPECT_EQ(entry.begin_ns, now_ns);
    now_ns += entry.ns;
    const bool is_of_long_task = entry.stage == 1 && IsOfStage(entry);
    EXPECT_TRUE(!is_of_long_task || entry.slack_ns == 20 * kNanosPerSecond);
  }
}

TEST(AccountTest, ATaskThatEndsAfterItsSlotHasTheNextOneIsCut) {
  ApplicationBuilder builder;
  const int32_t executor = builder.AddExecutor("1", 1);
  const int32_t stage = builder.AddStage(0, 0, 0);
  builder.AddTask(0, stage, executor, 10, 21);
  builder.AddTask(1, stage, executor, 20, 30);
  const Booked account = AccountOf(builder.application());
  EXPECT_EQ(account.core->budget_ns, ApplicationBuilder::kDuration);
  EXPECT_EQ(Sum(account.core->entries), ApplicationBuilder::kDuration);
}

TEST(AccountTest, CoresAreUnknownWithoutThoseOfAnExecutorWithTasks) {
  ApplicationBuilder builder;
  const int32_t executor = builder.AddExecutor("1", 0);
  builder.AddTask(0, builder.AddStage(0, 0, 0), executor, 10, 20);
  const Booked account = AccountOf(builder.application());
  EXPECT_FALSE(account.core);
  EXPECT_EQ(Sum(account.wall), ApplicationBuilder::kDuration);
}

TEST(AccountTest, ExecutorsCountWhileTheyAreThere) {
  ApplicationBuilder builder;
  builder.AddExecutor("1", 3);
  Executor& executor = builder.application().executors.back();
  executor.add_ns = ApplicationBuilder::Time(10);
  executor.remove_ns = ApplicationBuilder::Time(30);
  builder.application().environment = {{"Spark", {{"spark.task.cpus", "2"}}}};
  builder.AddTask(0, builder.AddStage(0, 0, 0), 0, 12, 22, 4);
  const Booked account = AccountOf(builder.application());
  EXPECT_EQ(account.core->budget_ns, 60 * kNanosPerSecond);
  EXPECT_EQ(Sum(account.core->entries), 60 * kNanosPerSecond);
  EXPECT_EQ(Seconds(account.core->entries, AccountPart::kUnusedCores), 20);
  EXPECT_EQ(Seconds(account.core->entries, AccountPart::kCpu), 8) << "a slot of two cores";
}

TEST(AccountTest, RunTimeOfSpark41CountsEveryCpuOfATask) {
  for (const auto& [version, waiting] : {std::pair("3.5.7", 6.0), std::pair("4.1.1", 1.0)}) {
    ApplicationBuilder builder;
    builder.application().spark_version = version;
    builder.application().environment = {{"Spark", {{"spark.task.cpus", "2"}}}};
    const size_t task = builder.AddTask(0, builder.AddStage(0, 0, 0), builder.AddExecutor("1", 2), 0, 20, 4);
    builder.application().tasks.Column(TaskMetric::kExecutorRunTime)[task] = 10 * kNanosPerSecond;
    EXPECT_EQ(Seconds(AccountOf(builder.application()).wall, AccountPart::kOtherWait), waiting) << version;
  }
}

TEST(AccountTest, AttemptsThatFailedAreLostWork) {
  ApplicationBuilder builder;
  const int32_t executor = builder.AddExecutor("1", 1), stage = builder.AddStage(0, 0, 0);
  builder.application().tasks.outcome[builder.AddTask(0, stage, executor, 10, 20)] = TaskOutcome::kFailed;
  builder.AddTask(1, stage, executor, 20, 30, 10);
  const Booked account = AccountOf(builder.application());
  EXPECT_EQ(Seconds(account.core->entries, AccountPart::kLostWork), 10);
  EXPECT_EQ(Seconds(account.wall, AccountPart::kLostWork), 10) << "its slot had to wait for it";
}

TEST(AccountTest, AnotherAttemptWaitsForTheFailedOneAndNotForItsExecutor) {
  ApplicationBuilder builder;
  const int32_t first = builder.AddExecutor("1", 1), second = builder.AddExecutor("2", 1);
  builder.application().executors[static_cast<size_t>(second)].add_ns = ApplicationBuilder::Time(30);
  const int32_t stage = builder.AddStage(0, 0, 0);
  Tasks& tasks = builder.application().tasks;
  tasks.outcome[builder.AddTask(0, stage, first, 10, 30)] = TaskOutcome::kFailed;
  const size_t again = builder.AddTask(1, stage, second, 30, 40, 10);
  tasks.index[again] = tasks.index[again - 1];
  tasks.attempt[again] = 1;
  const Booked account = AccountOf(builder.application());
  EXPECT_EQ(Seconds(account.wall, AccountPart::kLostWork), 20);
  EXPECT_EQ(Seconds(account.wall, AccountPart::kExecutorWait), 0);
}

TEST(AccountTest, TimeInTheQueueOfYarnIsWaiting) {
  ApplicationBuilder builder;
  const int32_t executor = builder.AddExecutor("1", 1);
  builder.application().executors[static_cast<size_t>(executor)].add_ns = ApplicationBuilder::Time(60);
  builder.AddTask(0, builder.AddStage(0, 0, 0), executor, 62, 90, 20);
  LogRecords& logs = builder.application().logs;
  logs.templates = {{}, {.text = "Application report for <*> (state: <*>)"}};
  logs.sources = {"driver.log"};
  for (const auto& [second, state] : {std::pair(5, "ACCEPTED"), std::pair(45, "ACCEPTED"), std::pair(46, "RUNNING")}) {
    logs.time_ns.push_back(ApplicationBuilder::Time(second));
    logs.level.push_back(LogLevel::kInfo);
    logs.executor.push_back(-1);
    logs.source.push_back(0);
    logs.line.push_back(second);
    logs.template_row.push_back(1);
    logs.text += std::string("Application report for application_1_0001 (state: ") + state + ")";
    logs.text_end.push_back(logs.text.size());
  }
  EXPECT_EQ(Seconds(AccountOf(builder.application()).wall, AccountPart::kExecutorWait), 40);
}

TEST(AccountTest, GarbageOfAConcurrentCollectorIsNoPause) {
  WorkedExample example;
  example.application().environment = {{"Spark", {{"spark.executor.extraJavaOptions", "-XX:+UseZGC"}}}};
  EXPECT_EQ(Seconds(AccountOf(example.application()).core->entries, AccountPart::kGc), 0);
}

TEST(AccountTest, AnApplicationThatRunsIsBookedUpToNow) {
  ApplicationBuilder builder;
  builder.application().ended = false;
  const size_t task = builder.AddTask(0, builder.AddStage(0, 0, 0), builder.AddExecutor("1", 1), 40, 50);
  builder.application().tasks.finish_ns[task] = 0;
  builder.application().tasks.outcome[task] = TaskOutcome::kRunning;
  const Booked account = AccountOf(builder.application());
  EXPECT_TRUE(account.is_running);
  EXPECT_EQ(Seconds(account.core->entries, AccountPart::kRun), 60);
  EXPECT_EQ(Sum(account.core->entries), ApplicationBuilder::kDuration);
  EXPECT_EQ(Seconds(account.wall, AccountPart::kUnknown), 40) << "no event of the driver is there";
}

TEST(AccountTest, IdleSlotsBesideTasksThatWaitAreOfDispatch) {
  ApplicationBuilder builder;
  const int32_t executor = builder.AddExecutor("1", 2), stage = builder.AddStage(0, 0, 0);
  builder.AddJob(0, {0});
  Stage& known = builder.application().stages.back();
  known.submit_ns = ApplicationBuilder::Time(10);
  known.end_ns = ApplicationBuilder::Time(40);
  known.task_count = 2;
  builder.AddTask(0, stage, executor, 10, 30, 20);
  builder.AddTask(1, stage, executor, 13, 40, 27);
  const std::vector<AccountEntry> core = AccountOf(builder.application()).core->entries;
  EXPECT_EQ(Seconds(core, AccountPart::kDispatch, stage), 3);
  EXPECT_EQ(Seconds(core, AccountPart::kWave) + Seconds(core, AccountPart::kSkew), 10);
}

TEST(AccountTest, TheDriversTimeIsDividedByTheLinesOfItsProgram) {
  ApplicationBuilder builder;
  const int32_t driver = builder.AddExecutor("driver", 0);
  builder.AddTask(0, builder.AddStage(0, 0, 0), builder.AddExecutor("1", 1), 0, 90, 90);
  const uint32_t thread = builder.AddThread(100, "main", driver);
  const StackId parse = builder.AddStack({builder.AddFrame("com.example.Job.parse", FrameKind::kJit, "Job.scala", 7)});
  const StackId seldom = builder.AddStack({builder.AddFrame("com.example.Job.log", FrameKind::kJit, "Job.scala", 9)});
  for (int64_t second = 92; second < 96; ++second)
    builder.AddSample(Event::kWall, second, thread, kNoTask, parse, kNanosPerSecond, 10);
  builder.AddSample(Event::kWall, 97, thread, kNoTask, seldom, kNanosPerSecond, 10);
  const Booked account = AccountOf(builder.application());
  EXPECT_EQ(Seconds(account.wall, AccountPart::kDriverProgram), 10);
  EXPECT_EQ(Sum(account.wall), ApplicationBuilder::kDuration);
  const WallEntry& line = account.wall[account.wall.size() - 2];
  EXPECT_EQ(line.payer, "com.example.Job.parse:7");
  EXPECT_EQ(line.ns, 4 * kNanosPerSecond);
  EXPECT_EQ(account.wall.back().payer, "") << "few samples name no line";
}

// Adds executors that start at second 10, and a job that runs from second 60. Returns the driver's main thread.
uint32_t AddProgram(ApplicationBuilder* builder) {
  const int32_t driver = builder->AddExecutor("driver", 0), executor = builder->AddExecutor("1", 1);
  for (Executor& one : builder->application().executors) one.add_ns = ApplicationBuilder::Time(10);
  builder->AddJob(0, {0});
  builder->application().jobs.back().submit_ns = ApplicationBuilder::Time(60);
  builder->AddTask(0, builder->AddStage(0, 0, 0), executor, 60, 100, 40);
  return builder->AddThread(100, "main", driver);
}

TEST(AccountTest, WhatTheLineThatStartsSparkDoesNextIsStartUp) {
  ApplicationBuilder builder;
  const uint32_t thread = AddProgram(&builder);
  const auto add = [&](const std::string& name, int64_t begin, int64_t end) {
    const StackId stack =
        builder.AddStack({builder.AddFrame("com.example.Job." + name, FrameKind::kJit, "Job.scala", 7)});
    for (int64_t second = begin; second < end; ++second)
      builder.AddSample(Event::kWall, second, thread, kNoTask, stack, kNanosPerSecond, 10);
  };
  add("start", 0, 30);
  EXPECT_EQ(Seconds(AccountOf(builder.application()).wall, AccountPart::kStartUp), 10) << "it may be the whole program";
  add("read", 30, 40);
  add("start", 40, 60);
  const Booked account = AccountOf(builder.application());
  EXPECT_EQ(Seconds(account.wall, AccountPart::kStartUp), 30 + 20) << "within the same time";
  EXPECT_EQ(Seconds(account.wall, AccountPart::kDriverProgram), 10);
  EXPECT_EQ(Sum(account.wall), ApplicationBuilder::kDuration);
}

TEST(AccountTest, TheLineThatCreatesTheSessionIsStartUpAlsoWhereNoSampleIsBeforeTheFirstExecutor) {
  ApplicationBuilder builder;
  const uint32_t thread = AddProgram(&builder);
  const auto add = [&](const std::string& called, int line, int64_t begin, int64_t end) {
    const StackId stack =
        builder.AddStack({builder.AddFrame("com.example.Job.main", FrameKind::kJit, "Job.scala", line),
                          builder.AddFrame("org.apache.spark.sql." + called, FrameKind::kJit, "Spark.scala", 1)});
    for (int64_t second = begin; second < end; ++second)
      builder.AddSample(Event::kWall, second, thread, kNoTask, stack, kNanosPerSecond, 10);
  };
  add("SparkSession$Builder.getOrCreate", 7, 12, 40);
  add("DataFrameReader.load", 8, 40, 50);
  const Booked account = AccountOf(builder.application());
  EXPECT_EQ(Seconds(account.wall, AccountPart::kStartUp), 10 + 28);
  EXPECT_EQ(Seconds(account.wall, AccountPart::kDriverProgram), 10 + 12) << "with the time of no sample";
}

TEST(AccountTest, TheDriverHasNoTimeInWhichAnotherThreadsJobRan) {
  ApplicationBuilder builder;
  const int32_t executor = builder.AddExecutor("1", 2);
  constexpr std::pair<double, double> kJobs[] = {{10, 80},
                                                 {70, 90}};  // the second one begins before the first one ends
  for (int64_t id = 0; const auto& [begin, end] : kJobs) {
    builder.AddJob(id, {id});
    Job& job = builder.application().jobs.back();
    job.submit_ns = ApplicationBuilder::Time(begin);
    job.end_ns = ApplicationBuilder::Time(end);
    builder.AddTask(id, builder.AddStage(id, 0, id), executor, begin, end, end - begin);
    ++id;
  }
  const Booked account = AccountOf(builder.application());
  EXPECT_EQ(Seconds(account.wall, AccountPart::kDriverProgram), 20);
  EXPECT_EQ(Seconds(account.wall, AccountPart::kCpu), 80);
  EXPECT_EQ(Sum(account.wall), ApplicationBuilder::kDuration);
}

TEST(AccountTest, TasksOfUnknownStagesCount) {
  ApplicationBuilder builder;
  builder.AddTask(0, -1, builder.AddExecutor("1", 2), 10, 30, 20);
  const Booked account = AccountOf(builder.application());
  EXPECT_EQ(Seconds(account.core->entries, AccountPart::kRun), 20) << "without a stage, metrics are unknown, too";
  EXPECT_EQ(Sum(account.core->entries), 2 * ApplicationBuilder::kDuration);
  EXPECT_EQ(Sum(account.wall), ApplicationBuilder::kDuration);
}

TEST(AccountTest, WaitsOfSampledStagesAreThoseOfTheirSamples) {
  ApplicationBuilder builder;
  const int32_t executor = builder.AddExecutor("1", 1);
  builder.AddTask(0, builder.AddStage(0, 0, 0), executor, 10, 20, 4);
  const uint32_t thread = builder.AddThread(200, "Executor task launch worker for task 0.0", executor);
  const StackId sleep = builder.AddStack({"com.example.Job.map", "java.lang.Thread.sleep"});
  const StackId work = builder.AddStack({"com.example.Job.map"});
  builder.AddSample(Event::kWall, 10, thread, 0, sleep, 50, 50).state = ThreadState::kSleeping;
  builder.AddSample(Event::kWall, 10, thread, 0, work, 50, 50).state = ThreadState::kRunning;
  builder.AddSample(Event::kCpu, 10, thread, 0, work, 40, 40);
  const std::vector<AccountEntry> core = AccountOf(builder.application()).core->entries;
  EXPECT_EQ(Seconds(core, AccountPart::kCpu), 4);
  EXPECT_EQ(Seconds(core, AccountPart::kSleep), 5);
  EXPECT_EQ(Seconds(core, AccountPart::kCpuWait), 1);
}

TEST(AccountTest, AStreamPausesBetweenItsBatches) {
  ApplicationBuilder builder;
  const int32_t executor = builder.AddExecutor("1", 1);
  Application& application = builder.application();
  application.streaming_queries.push_back(
      {.start_ns = ApplicationBuilder::Time(10), .end_ns = ApplicationBuilder::Time(90)});
  for (const int64_t batch : {0, 1}) {
    const double begin = 20 + 40.0 * static_cast<double>(batch);
    application.streaming_batches.push_back(
        {.query = 0, .id = batch, .start_ns = ApplicationBuilder::Time(begin), .duration_ns = 10 * kNanosPerSecond});
    builder.AddJob(batch, {batch});
    Job& job = application.jobs.back();
    job.submit_ns = ApplicationBuilder::Time(begin + 3);
    job.end_ns = ApplicationBuilder::Time(begin + 8);
    const int32_t stage = builder.AddStage(batch, 0, batch);
    application.stages.back().submit_ns = job.submit_ns;
    application.stages.back().end_ns = job.end_ns;
    application.stages.back().task_count = 1;
    builder.AddTask(batch, stage, executor, begin + 3, begin + 8, 5);
  }
  const Booked account = AccountOf(application);
  for (const bool is_core : {false, true}) {
    const auto seconds = [&](AccountPart part) {
      return is_core ? Seconds(account.core->entries, part) : Seconds(account.wall, part);
    };
    EXPECT_EQ(seconds(AccountPart::kCpu), 10);
    EXPECT_EQ(seconds(AccountPart::kDriverQuery), 10) << "planning and committing batches";
    EXPECT_EQ(seconds(AccountPart::kStreamPause), 60);
    EXPECT_EQ(seconds(AccountPart::kDriverProgram), 20);
  }
}

}  // namespace
}  // namespace sparkprof
