// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/answers.h"
#include "analysis/testing/application_builder.h"

namespace sparkprof {
namespace {

const Finding* Find(const Answers& answers, std::string_view id) {
  for (const Finding& finding : answers.findings) {
    if (finding.id == id) return &finding;
  }
  return nullptr;
}

class FindingsTest : public testing::Test {
 protected:
  FindingsTest() : executor_(builder_.AddExecutor("1", 2)), stage_(builder_.AddStage(3, 0, 0)) {
    worker_ = builder_.AddThread(200, "Executor task launch worker-0", executor_);
  }

  Tasks& tasks() { return builder_.application().tasks; }

  ApplicationBuilder builder_;
  const int32_t executor_;
  const int32_t stage_;
  uint32_t worker_;
};

TEST_F(FindingsTest, AQuietStageHasNone) {
  for (int64_t tid = 0; tid < 20; ++tid)
    builder_.AddTask(tid, stage_, executor_, static_cast<double>(tid / 2) * 10, static_cast<double>(tid / 2) * 10 + 9.5,
                     9);
  EXPECT_TRUE(Answer(builder_.application()).findings.empty());
}

TEST_F(FindingsTest, AnUnequalShareOfTheDataIsSkew) {
  for (int64_t tid = 0; tid < 4; ++tid) {
    const size_t row = builder_.AddTask(tid, stage_, executor_, 0, tid == 2 ? 60 : 2, tid == 2 ? 58 : 1.5);
    tasks().Column(TaskMetric::kShuffleReadRecords)[row] = tid == 2 ? 90'000 : 1'000;
  }
  const Answers answers = Answer(builder_.application());
  const Finding* finding = Find(answers, "skew-3.0");
  EXPECT_EQ(Find(answers, "straggler-3.0"), nullptr);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->selection.tasks, std::vector<int64_t>{2});
  EXPECT_EQ(finding->severity, Severity::kHigh);
  EXPECT_EQ(finding->gain_ns, ApplicationBuilder::Nanos(27));
  EXPECT_NE(finding->evidence.find("90,000 records read from the shuffle, median 1,000"), std::string::npos)
      << finding->evidence;
}

TEST_F(FindingsTest, TasksThatWarmUpDoNotHideTheSkewedOne) {
  for (int64_t tid = 0; tid < 8; ++tid) {
    const double duration = tid < 2 ? 10 : tid == 5 ? 7 : 2;
    const size_t row = builder_.AddTask(tid, stage_, executor_, static_cast<double>(tid) * 10,
                                        tid == 5 ? 80 : static_cast<double>(tid) * 10 + duration, 1);
    tasks().Column(TaskMetric::kDuration)[row] = ApplicationBuilder::Nanos(duration);
    tasks().Column(TaskMetric::kShuffleReadRecords)[row] = tid == 5 ? 2'500'000 : 500'000;
  }
  const Answers answers = Answer(builder_.application());
  ASSERT_NE(Find(answers, "skew-3.0"), nullptr);
  EXPECT_EQ(Find(answers, "skew-3.0")->selection.tasks, std::vector<int64_t>{5});
  EXPECT_EQ(Find(answers, "straggler-3.0"), nullptr);
}

TEST_F(FindingsTest, AStragglerWithEqualDataIsOneThatComputesOrWaits) {
  for (int64_t tid = 0; tid < 4; ++tid)
    builder_.AddTask(tid, stage_, executor_, 0, tid == 2 ? 60 : 2, tid == 2 ? 58 : 1.5);
  EXPECT_NE(Find(Answer(builder_.application()), "straggler-3.0"), nullptr);
  const Answers computing = Answer(builder_.application());
  EXPECT_NE(Find(computing, "straggler-3.0")->title.find("computes"), std::string::npos);
  tasks().Column(TaskMetric::kExecutorCpuTime)[2] = ApplicationBuilder::Nanos(1.5);
  const Answers waiting = Answer(builder_.application());
  EXPECT_NE(Find(waiting, "straggler-3.0")->title.find("waits"), std::string::npos);
  EXPECT_EQ(Find(waiting, "straggler-3.0")->selection.event, EventName(Event::kWall));
}

TEST_F(FindingsTest, MuchGcTimeIsMemoryPressure) {
  const size_t row = builder_.AddTask(1, stage_, executor_, 0, 50, 20);
  tasks().Column(TaskMetric::kGcTime)[row] = ApplicationBuilder::Nanos(20);
  tasks().Column(TaskMetric::kDiskSpilled)[row] = int64_t{1} << 30;
  const Answers answers = Answer(builder_.application());
  ASSERT_NE(Find(answers, "gc-3.0"), nullptr);
  EXPECT_EQ(Find(answers, "gc-3.0")->gain_ns, ApplicationBuilder::Nanos(30));
  ASSERT_NE(Find(answers, "spill-3.0"), nullptr);
}

TEST_F(FindingsTest, GcThatBeganBeforeATaskRanIsAtMostItsRunTime) {
  const size_t row = builder_.AddTask(1, stage_, executor_, 0, 50, 20);
  tasks().Column(TaskMetric::kGcTime)[row] = ApplicationBuilder::Nanos(60);
  const Answers answers = Answer(builder_.application());
  ASSERT_NE(Find(answers, "gc-3.0"), nullptr);
  EXPECT_EQ(Find(answers, "gc-3.0")->title, "Stage 3: GC takes 100.0% of task time");
}

TEST_F(FindingsTest, SleepingTasksAreFoundWithThePlaceWhereTheySleep) {
  builder_.AddTask(1, stage_, executor_, 0, 50, 1);
  const StackId sleep =
      builder_.AddStack({builder_.AddFrame("com.example.Slacker.call"), builder_.AddFrame("java.lang.Thread.sleep"),
                         builder_.AddFrame("clock_nanosleep", FrameKind::kNative)});
  builder_.AddSample(Event::kWall, 3, worker_, 1, sleep, ApplicationBuilder::Nanos(49)).state = ThreadState::kSleeping;
  const Answers answers = Answer(builder_.application());
  const Finding* finding = Find(answers, "sleep-3.0");
  ASSERT_NE(finding, nullptr);
  EXPECT_NE(finding->evidence.find("java.lang.Thread.sleep below com.example.Slacker.call"), std::string::npos)
      << finding->evidence;
  EXPECT_EQ(finding->selection.event, EventName(Event::kWall));
  EXPECT_EQ(Find(answers, "python-bound-3.0"), nullptr);
}

TEST_F(FindingsTest, AWaitForPythonIsNotJustAWait) {
  builder_.AddTask(1, stage_, executor_, 0, 50, 1);
  const StackId wait = builder_.AddStack(
      {"org.apache.spark.api.python.BasePythonRunner$ReaderIterator.hasNext", "sun.nio.ch.EPoll.wait"});
  builder_.AddSample(Event::kWall, 3, worker_, 1, wait, ApplicationBuilder::Nanos(50)).state = ThreadState::kSleeping;
  Process python;
  python.role = "python_worker";
  builder_.application().processes.push_back({python, executor_});
  auto& series = builder_.application().series;
  series.push_back({"process.cpu_ns",
                    executor_,
                    0,
                    SeriesKind::kCounter,
                    {{ApplicationBuilder::Time(1), 0}, {ApplicationBuilder::Time(49), 45e9}}});
  const Answers busy = Answer(builder_.application());
  ASSERT_NE(Find(busy, "python-bound-3.0"), nullptr);
  EXPECT_EQ(Find(busy, "python-bound-3.0")->title, "Stage 3: tasks wait for Python for 100.0% of their time");
  EXPECT_EQ(Find(busy, "sleep-3.0"), nullptr);
}

TEST_F(FindingsTest, AStragglerInPythonIsTheCauseOfTheWaitForPython) {
  const StackId wait = builder_.AddStack(
      {"org.apache.spark.api.python.BasePythonRunner$ReaderIterator.hasNext", "sun.nio.ch.EPoll.wait"});
  for (int64_t tid = 1; tid <= 4; ++tid) {
    const double seconds = tid == 4 ? 50 : 2;
    const size_t row = builder_.AddTask(tid, stage_, executor_, 0, seconds, 0.1);
    tasks().Column(TaskMetric::kExecutorRunTime)[row] = ApplicationBuilder::Nanos(seconds);
    builder_.AddSample(Event::kWall, 3, worker_, tid, wait, ApplicationBuilder::Nanos(seconds)).state =
        ThreadState::kSleeping;
  }
  const Answers one = Answer(builder_.application());
  ASSERT_NE(Find(one, "straggler-3.0"), nullptr);
  EXPECT_EQ(Find(one, "python-bound-3.0"), nullptr);
  EXPECT_NE(Find(one, "straggler-3.0")->evidence.find("symptom: tasks wait for Python"), std::string::npos);
  // It is one of many tasks that wait for Python.
  for (int64_t tid = 5; tid <= 60; ++tid) builder_.AddTask(tid, stage_, executor_, 0, 2, 0.1);
  EXPECT_NE(Find(Answer(builder_.application()), "python-bound-3.0"), nullptr);
}

TEST_F(FindingsTest, AnObjectBuiltForEachRecordIsNamed) {
  builder_.AddTask(1, stage_, executor_, 0, 50, 49);
  builder_.AddSample(
      Event::kCpu, 3, worker_, 1,
      builder_.AddStack({"com.example.Heckler.call", "com.example.Parser.<init>", "java.util.HashMap.put"}),
      ApplicationBuilder::Nanos(30));
  builder_.AddSample(Event::kCpu, 3, worker_, 1, builder_.AddStack({"com.example.Heckler.call"}),
                     ApplicationBuilder::Nanos(19));
  const Answers answers = Answer(builder_.application());
  const Finding* finding = Find(answers, "hot-3.0");
  ASSERT_NE(finding, nullptr);
  EXPECT_NE(finding->title.find("building one kind of object"), std::string::npos);
  EXPECT_NE(finding->what.find("com.example.Parser.<init> takes 61.2%"), std::string::npos) << finding->what;
  // The evidence is a selection that has samples.
  const auto rows = SelectSamples(builder_.application(), finding->selection);
  ASSERT_TRUE(rows.has_value());
  EXPECT_EQ(rows->size(), 1u);
}

TEST_F(FindingsTest, CoresWithoutTasksAreIdle) {
  builder_.AddTask(1, stage_, executor_, 0, 10, 9);
  const Answers answers = Answer(builder_.application());
  ASSERT_EQ(answers.context.size(), 1u);
  const Finding* finding = answers.context.data();
  EXPECT_NE(finding->what.find("95.0%"), std::string::npos) << finding->what;
}

TEST_F(FindingsTest, AWaitForTheShuffleIsNamed) {
  const size_t row = builder_.AddTask(1, stage_, executor_, 0, 50, 20);
  tasks().Column(TaskMetric::kShuffleFetchWait)[row] = ApplicationBuilder::Nanos(25);
  const Answers answers = Answer(builder_.application());
  const Finding* finding = Find(answers, "fetch-wait-3.0");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->gain_ns, ApplicationBuilder::Nanos(25));
  EXPECT_FALSE(finding->condition.empty());
}

TEST_F(FindingsTest, ABusySchedulerIsFoundInTheDriver) {
  for (int64_t tid = 0; tid < 4; ++tid) {
    const size_t row = builder_.AddTask(tid, stage_, executor_, 0, 50, 20);
    tasks().Column(TaskMetric::kSchedulerDelay)[row] = ApplicationBuilder::Nanos(25);
  }
  const Answers answers = Answer(builder_.application());
  const Finding* finding = Find(answers, "scheduler-delay-3.0");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->selection.executor, "driver");
}

TEST_F(FindingsTest, ManyTasksOfAFewMillisecondsAreTooMany) {
  for (int64_t tid = 0; tid < 2000; ++tid) {
    const double begin = static_cast<double>(tid / 2) * 0.0625;
    const size_t row = builder_.AddTask(tid, stage_, executor_, begin, begin + 0.0625, 0.01);
    tasks().Column(TaskMetric::kExecutorRunTime)[row] = ApplicationBuilder::Nanos(0.02);
  }
  const Answers answers = Answer(builder_.application());
  const Finding* finding = Find(answers, "tiny-tasks-3.0");
  ASSERT_NE(finding, nullptr);
  EXPECT_NE(finding->change.find("about 125 partitions"), std::string::npos) << finding->change;
}

TEST_F(FindingsTest, WorkThatFailedSaysWhyAndWhatItCost) {
  for (int64_t tid = 0; tid < 4; ++tid) {
    const size_t row = builder_.AddTask(tid, stage_, executor_, 0, 20, 19);
    if (tid > 1) continue;
    tasks().outcome[row] = TaskOutcome::kFailed;
    tasks().reason[row] =
        builder_.application().profile.strings.Intern("java.io.IOException: disk is full\n\tat Job.map");
  }
  const Answers answers = Answer(builder_.application());
  const Finding* finding = Find(answers, "failed-work-3.0");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->selection.tasks, (std::vector<int64_t>{0, 1}));
  EXPECT_NE(finding->evidence.find("2 tasks failed with java.io.IOException: disk is full"), std::string::npos);
  EXPECT_EQ(finding->evidence.find("Job.map"), std::string::npos);
}

TEST_F(FindingsTest, TheSameFailureInTwoStagesAndOnOtherExecutorsIsOneFinding) {
  const int32_t other = builder_.AddStage(4, 0, 0);
  for (int64_t tid = 0; tid < 4; ++tid) {
    const size_t row = builder_.AddTask(tid, tid < 2 ? stage_ : other, executor_, 0, 20, 19);
    tasks().outcome[row] = TaskOutcome::kFailed;
    tasks().reason[row] = builder_.application().profile.strings.Intern(
        "ExecutorLostFailure (executor " + std::to_string(tid) + " exited) Reason: preempted");
  }
  const Answers answers = Answer(builder_.application());
  EXPECT_EQ(std::count_if(answers.findings.begin(), answers.findings.end(),
                          [](const Finding& finding) { return finding.rule == "failed-work"; }),
            1);
  EXPECT_EQ(answers.findings[0].stages, (std::vector<int64_t>{3, 4}));
  EXPECT_NE(answers.findings[0].title.find("; the same in 1 other stage"), std::string::npos);
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
  const Answers answers = Answer(builder_.application());
  ASSERT_GE(answers.findings.size(), 2u);
  EXPECT_EQ(answers.findings[0].id, "fetch-wait-4.0");
  EXPECT_GT(answers.findings[0].expected_share, answers.findings[1].expected_share);
}

TEST_F(FindingsTest, CollectionsInTheTaskWithMostOfTheRowsAreSkew) {
  for (int64_t tid = 0; tid < 4; ++tid) {
    const size_t row = builder_.AddTask(tid, stage_, executor_, 0, tid == 2 ? 60 : 2, tid == 2 ? 38 : 1.5);
    tasks().Column(TaskMetric::kShuffleReadRecords)[row] = tid == 2 ? 90'000 : 1'000;
    if (tid == 2) tasks().Column(TaskMetric::kGcTime)[row] = ApplicationBuilder::Nanos(20);
  }
  const Answers answers = Answer(builder_.application());
  EXPECT_EQ(Find(answers, "gc-3.0"), nullptr);
  ASSERT_NE(Find(answers, "skew-3.0"), nullptr);
  EXPECT_NE(Find(answers, "skew-3.0")->evidence.find("symptom: GC takes 30.3% of task time"), std::string::npos)
      << Find(answers, "skew-3.0")->evidence;
  // In all tasks alike, they are no symptom of it.
  for (size_t row = 0; row < 4; ++row) tasks().Column(TaskMetric::kGcTime)[row] = ApplicationBuilder::Nanos(8);
  EXPECT_NE(Find(Answer(builder_.application()), "gc-3.0"), nullptr);
}

TEST_F(FindingsTest, ASavingIsNotMoreThanItsStageTakesAndOverlapsAreMarked) {
  const size_t row = builder_.AddTask(1, stage_, executor_, 0, 50, 5);
  tasks().Column(TaskMetric::kGcTime)[row] = ApplicationBuilder::Nanos(30);
  tasks().Column(TaskMetric::kShuffleFetchWait)[row] = ApplicationBuilder::Nanos(45);
  const Answers answers = Answer(builder_.application());
  ASSERT_GE(answers.findings.size(), 2u);
  for (const Finding& finding : answers.findings) {
    EXPECT_LE(static_cast<double>(finding.gain_ns) * finding.gain_high, 50.0 * kNanosPerSecond) << finding.id;
  }
  EXPECT_TRUE(answers.findings[0].overlaps.empty());
  EXPECT_EQ(answers.findings[1].overlaps, answers.findings[0].id);
}

TEST_F(FindingsTest, StagesThatRunAtOnceSaveTheirTimeOnce) {
  for (int64_t id = 10; id < 14; ++id) {
    const size_t row = builder_.AddTask(id, builder_.AddStage(id, 0, 0), executor_, 0, 20, 2);
    tasks().Column(TaskMetric::kSchedulerDelay)[row] = ApplicationBuilder::Nanos(18);
  }
  const Answers answers = Answer(builder_.application());
  ASSERT_FALSE(answers.findings.empty());
  EXPECT_EQ(answers.findings[0].rule, "scheduler-delay");
  EXPECT_LE(answers.findings[0].gain_ns, ApplicationBuilder::Nanos(18) + 10);
}

TEST_F(FindingsTest, CancelledJobsAreNoFailures) {
  for (int64_t tid = 0; tid < 2; ++tid) {
    const size_t row = builder_.AddTask(tid, stage_, executor_, 0, 20, 19);
    tasks().outcome[row] = TaskOutcome::kFailed;
    tasks().reason[row] = builder_.application().profile.strings.Intern("java.lang.InterruptedException");
  }
  builder_.application().stages[0].status = RunStatus::kFailed;
  builder_.application().stages[0].failure = "[SPARK_JOB_CANCELLED] Job 0 cancelled part of cancelled job group";
  EXPECT_EQ(Find(Answer(builder_.application()), "failed-work-3.0"), nullptr);
  builder_.application().stages[0].failure = "java.lang.InterruptedException";
  EXPECT_NE(Find(Answer(builder_.application()), "failed-work-3.0"), nullptr);
}

TEST_F(FindingsTest, AStreamThatItsProgramStopsDidNotFail) {
  builder_.AddTask(1, stage_, executor_, 0, 50, 40);
  builder_.AddJob(0, {3});
  Stage& stage = builder_.application().stages[0];
  stage.status = RunStatus::kFailed;
  stage.failure = "Job 0 cancelled because SparkContext was shut down";
  builder_.application().jobs[0].status = RunStatus::kFailed;
  EXPECT_NE(Find(Answer(builder_.application()), "failed-work-3.0"), nullptr) << "a driver that ended";
  builder_.application().streaming_queries.push_back({.id = "a", .run_id = "r", .name = {}, .failure = {}});
  EXPECT_EQ(Find(Answer(builder_.application()), "failed-work-3.0"), nullptr);
  builder_.application().streaming_queries.clear();
  stage.failure = "[SPARK_JOB_CANCELLED] Job 0 cancelled part of cancelled job group a";
  EXPECT_EQ(Find(Answer(builder_.application()), "failed-work-3.0"), nullptr);
}

TEST_F(FindingsTest, AFullSplitBesideTheEndsOfFilesIsNoSkew) {
  for (int64_t tid = 0; tid < 4; ++tid) {
    const size_t row = builder_.AddTask(tid, stage_, executor_, 0, tid == 2 ? 80 : 10, tid == 2 ? 78 : 9);
    tasks().Column(TaskMetric::kInputBytes)[row] = int64_t{tid == 2 ? 128 : 40} << 20;
  }
  EXPECT_EQ(Find(Answer(builder_.application()), "skew-3.0"), nullptr);
  tasks().Column(TaskMetric::kInputBytes)[2] += 1;
  EXPECT_NE(Find(Answer(builder_.application()), "skew-3.0"), nullptr);
}

TEST_F(FindingsTest, AdviceNamesTheValuesOfItsSettingsAndWhereTheyAreSet) {
  const size_t row = builder_.AddTask(1, stage_, executor_, 0, 50, 20);
  tasks().Column(TaskMetric::kDiskSpilled)[row] = int64_t{1} << 30;
  builder_.application().stages[0].sql_execution = 5;
  builder_.application().environment = {
      {"Spark", {{"spark.executor.memory", "2g"}, {"spark.sql.shuffle.partitions", "200"}}}};
  SqlExecution sql;
  sql.id = 5;
  sql.settings = {{"spark.sql.shuffle.partitions", "1"}};
  builder_.application().sql_executions = {sql};
  const Answers answers = Answer(builder_.application());
  const Finding* spill = Find(answers, "spill-3.0");
  ASSERT_NE(spill, nullptr);
  EXPECT_TRUE(
      spill->change.ends_with(". Now: spark.sql.shuffle.partitions=1 in the program's code, spark.executor.memory=2g"))
      << spill->change;
}

TEST_F(FindingsTest, FirstTasksOfExecutorsThatAreAllSlowAreNoStragglers) {
  const int32_t second = builder_.AddExecutor("2", 2);
  for (int64_t tid = 0; tid < 4; ++tid)
    builder_.AddTask(tid, stage_, tid < 2 ? executor_ : second, 0, tid == 0 ? 10 : 4, 1);
  for (int64_t tid = 4; tid < 30; ++tid) builder_.AddTask(tid, stage_, tid % 2 == 0 ? executor_ : second, 4, 5, 1);
  EXPECT_EQ(Find(Answer(builder_.application()), "straggler-3.0"), nullptr);
  tasks().Column(TaskMetric::kDuration)[0] = ApplicationBuilder::Nanos(12);
  tasks().finish_ns[0] = ApplicationBuilder::Time(12);
  EXPECT_NE(Find(Answer(builder_.application()), "straggler-3.0"), nullptr) << "three times the other first tasks";
}

TEST_F(FindingsTest, CollectionsOfExecutorsThatStartAreNoPressure) {
  for (int64_t tid = 0; tid < 10; ++tid) {
    const double begin = static_cast<double>(tid / 2) * 10;
    builder_.AddTask(tid, stage_, executor_, begin, begin + 10, 5);
    tasks().Column(TaskMetric::kGcTime)[static_cast<size_t>(tid)] = ApplicationBuilder::Nanos(tid < 2 ? 6 : 1);
  }
  EXPECT_EQ(Find(Answer(builder_.application()), "gc-3.0"), nullptr);
  tasks().Column(TaskMetric::kGcTime)[2] = ApplicationBuilder::Nanos(1.1);
  EXPECT_NE(Find(Answer(builder_.application()), "gc-3.0"), nullptr) << "less than six tenths in the first tasks";
}

TEST_F(FindingsTest, TasksThatWarmUpDoNotHideTheStraggler) {
  for (int64_t tid = 0; tid < 12; ++tid) {
    const double duration = tid < 2 ? 20 : tid == 9 ? 15 : 2;
    const auto begin = static_cast<double>(tid / 2) * 20;
    builder_.AddTask(tid, stage_, executor_, begin, begin + duration, 1);
  }
  const Answers answers = Answer(builder_.application());
  const Finding* finding = Find(answers, "straggler-3.0");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->selection.tasks, std::vector<int64_t>{9});
}

TEST_F(FindingsTest, TheFirstTaskOfAStageOnEachCoreMayCompileItsCode) {
  for (int64_t tid = 0; tid < 4; ++tid) builder_.AddTask(tid, stage_, executor_, 0, 1, 1);
  const int32_t second = builder_.AddStage(4, 0, 0);
  for (int64_t tid = 10; tid < 30; ++tid)
    builder_.AddTask(tid, second, executor_, tid < 12 ? 2 : 10, tid < 12 ? 10 : 10.5, 0.4);
  EXPECT_EQ(Find(Answer(builder_.application()), "straggler-4.0"), nullptr);
  tasks().Column(TaskMetric::kDuration)[5] = ApplicationBuilder::Nanos(0.5);
  tasks().finish_ns[5] = ApplicationBuilder::Time(2.5);
  EXPECT_NE(Find(Answer(builder_.application()), "straggler-4.0"), nullptr) << "one of them alone";
}

TEST_F(FindingsTest, AStragglerThatEndsBeforeTheOthersStillKeepsACore) {
  builder_.AddTask(0, stage_, executor_, 0, 20, 1);
  for (int64_t tid = 1; tid < 12; ++tid)
    builder_.AddTask(tid, stage_, executor_, static_cast<double>(tid) * 2, static_cast<double>(tid) * 2 + 2, 1);
  const Answers answers = Answer(builder_.application());
  const Finding* finding = Find(answers, "straggler-3.0");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->gain_ns, ApplicationBuilder::Nanos(9)) << "18 s on one of two cores";
}

TEST_F(FindingsTest, TheEvidenceOfMergedStagesHoldsEachOfThem) {
  const int32_t second = builder_.AddStage(4, 0, 0);
  for (int64_t tid = 0; tid < 20; ++tid) {
    const double begin = static_cast<double>(tid / 2) * 10;
    const size_t row = builder_.AddTask(tid, tid < 10 ? stage_ : second, executor_, begin, begin + 10, 5);
    tasks().Column(TaskMetric::kGcTime)[row] = ApplicationBuilder::Nanos(tid < 10 ? 3 : 2);
  }
  const Answers answers = Answer(builder_.application());
  const Finding* finding = Find(answers, "gc-3.0");
  ASSERT_NE(finding, nullptr);
  EXPECT_NE(finding->evidence.find("GC time 30.0 s of"), std::string::npos) << finding->evidence;
  EXPECT_NE(finding->evidence.find("; stage 4: GC time 20.0 s of"), std::string::npos) << finding->evidence;
}

TEST_F(FindingsTest, AStragglerOnASlowHostNamesIt) {
  builder_.application().executors[static_cast<size_t>(executor_)].host = "fast";
  const int32_t slow = builder_.AddExecutor("2", 2);
  builder_.application().executors[static_cast<size_t>(slow)].host = "slow";
  for (int64_t tid = 0; tid < 10; ++tid) builder_.AddTask(tid, stage_, executor_, 0, 2, 1.5);
  for (int64_t tid = 10; tid < 12; ++tid) builder_.AddTask(tid, stage_, slow, 0, 40, 1.5);
  const Answers answers = Answer(builder_.application());
  const Finding* finding = Find(answers, "straggler-3.0");
  ASSERT_NE(finding, nullptr);
  EXPECT_NE(finding->title.find(", on the slow host slow"), std::string::npos) << finding->title;
}

TEST_F(FindingsTest, AStragglerThatWaitsForBlocksIsNamedAfterThem) {
  for (int64_t tid = 0; tid < 4; ++tid) {
    const size_t row = builder_.AddTask(tid, stage_, executor_, 0, tid == 2 ? 60 : 2, 1.5);
    tasks().Column(TaskMetric::kShuffleFetchWait)[row] = tid == 2 ? ApplicationBuilder::Nanos(50) : 0;
  }
  const Answers answers = Answer(builder_.application());
  const Finding* finding = Find(answers, "straggler-3.0");
  ASSERT_NE(finding, nullptr);
  EXPECT_NE(finding->title.find(", mostly for blocks of the shuffle"), std::string::npos) << finding->title;
}

TEST_F(FindingsTest, PartitionsOfAGibibyteThatTakeAMinuteAreLarge) {
  for (int64_t tid = 0; tid < 4; ++tid) {
    const size_t row = builder_.AddTask(tid, stage_, executor_, 0, 60, 50);
    tasks().Column(TaskMetric::kInputBytes)[row] = int64_t{1} << 30;
  }
  const Answers answers = Answer(builder_.application());
  const Finding* finding = Find(answers, "large-partitions-3.0");
  ASSERT_NE(finding, nullptr);
  EXPECT_NE(finding->change.find("about 32 partitions instead of 4"), std::string::npos) << finding->change;
  for (size_t row = 0; row < 4; ++row) tasks().Column(TaskMetric::kInputBytes)[row] = (int64_t{1} << 30) - 1;
  EXPECT_EQ(Find(Answer(builder_.application()), "large-partitions-3.0"), nullptr);
}

TEST_F(FindingsTest, AnExecutorThatNobodyRemovedIsLost) {
  Executor& executor = builder_.application().executors[static_cast<size_t>(executor_)];
  executor.remove_ns = ApplicationBuilder::Time(50);
  executor.remove_reason = "Executor is idle for 60 s, idle for too long";
  EXPECT_EQ(Find(Answer(builder_.application()), "lost-executors"), nullptr);
  executor.remove_reason = "Container from a bad node: exit status 143";
  const Answers answers = Answer(builder_.application());
  const Finding* finding = Find(answers, "lost-executors");
  ASSERT_NE(finding, nullptr);
  EXPECT_NE(finding->change.find("decommission"), std::string::npos);
  EXPECT_FALSE(finding->is_failure) << "no task was lost";
}

TEST_F(FindingsTest, AnExecutorThatWasKilledCostsItsTasksAndTheTimeUntilItIsReplaced) {
  Executor& executor = builder_.application().executors[static_cast<size_t>(executor_)];
  executor.remove_ns = ApplicationBuilder::Time(40);
  // Standalone workers limit no memory.
  executor.remove_reason = "Command exited with code 137";
  const size_t row = builder_.AddTask(7, stage_, executor_, 30, 40);
  tasks().outcome[row] = TaskOutcome::kFailed;
  builder_.AddExecutor("2", 4);
  builder_.application().executors.back().add_ns = ApplicationBuilder::Time(46);
  const Answers answers = Answer(builder_.application());
  EXPECT_EQ(Find(answers, "oom"), nullptr);
  const Finding* finding = Find(answers, "lost-executors");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->title, "Executor 1 was lost: its process was killed (SIGKILL)");
  EXPECT_NE(finding->evidence.find("10.0 s of task time lost; 12.0 s of core time until"), std::string::npos)
      << finding->evidence;
}

TEST_F(FindingsTest, ALostExecutorHasTheReasonsOfKubernetes) {
  Executor& executor = builder_.application().executors[static_cast<size_t>(executor_)];
  executor.remove_ns = ApplicationBuilder::Time(50);
  executor.remove_reason =
      "\nThe executor with id 1 exited with exit code 143(SIGTERM).\nThe API gave the following brief reason: Evicted\n"
      "The API gave the following container statuses:\n\t exit code: 143\n\t termination reason: Error\n";
  const Answers answers = Answer(builder_.application());
  const Finding* finding = Find(answers, "lost-executors");
  ASSERT_NE(finding, nullptr);
  EXPECT_TRUE(finding->title.ends_with("its pod was evicted")) << finding->title;
  EXPECT_NE(finding->evidence.find("143(SIGTERM). (Evicted) (Error)"), std::string::npos) << finding->evidence;
}

TEST_F(FindingsTest, EveryFindingTellsItsRule) {
  for (int64_t tid = 0; tid < 4; ++tid) {
    const size_t row = builder_.AddTask(tid, stage_, executor_, 0, tid == 2 ? 60 : 2, tid == 2 ? 58 : 1.5);
    tasks().Column(TaskMetric::kShuffleReadRecords)[row] = tid == 2 ? 90'000 : 1'000;
    tasks().Column(TaskMetric::kGcTime)[row] = ApplicationBuilder::Nanos(1.5);
    tasks().Column(TaskMetric::kDiskSpilled)[row] = int64_t{1} << 30;
  }
  const Answers answers = Answer(builder_.application());
  EXPECT_GE(answers.findings.size(), 2u);
  for (const Finding& finding : answers.findings) EXPECT_FALSE(finding.condition.empty()) << finding.id;
}

}  // namespace
}  // namespace sparkprof
