// SPDX-License-Identifier: Apache-2.0
// Time of a stage's tasks: gc, spill, sleep, python-bound, hot, fetch-wait, scheduler-delay, tiny-tasks,
// large-partitions; and idle cores.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "analysis/testing/finding_test.h"

namespace sparkprof {
namespace {

class StageRulesTest : public StageFindingTest {};

TEST_F(StageRulesTest, MuchGcTimeIsMemoryPressure) {
  const size_t row = builder_.AddTask(1, stage_, executor_, 0, 50, 20);
  tasks().Column(TaskMetric::kGcTime)[row] = ApplicationBuilder::Nanos(20);
  tasks().Column(TaskMetric::kDiskSpilled)[row] = int64_t{1} << 30;
  EXPECT_EQ(Found("gc-3.0").saving.likely_ns, ApplicationBuilder::Nanos(16));
  EXPECT_TRUE(Finds("spill-3.0"));
}

TEST_F(StageRulesTest, GcThatBeganBeforeATaskRanIsAtMostItsRunTime) {
  const size_t row = builder_.AddTask(1, stage_, executor_, 0, 50, 20);
  tasks().Column(TaskMetric::kGcTime)[row] = ApplicationBuilder::Nanos(60);
  EXPECT_EQ(Found("gc-3.0").title, "Stage 3: GC takes 100.0% of task time");
}

TEST_F(StageRulesTest, SleepingTasksAreFoundWithThePlaceWhereTheySleep) {
  builder_.AddTask(1, stage_, executor_, 0, 50, 1);
  const StackId sleep =
      builder_.AddStack({builder_.AddFrame("com.example.Slacker.call"), builder_.AddFrame("java.lang.Thread.sleep"),
                         builder_.AddFrame("clock_nanosleep", FrameKind::kNative)});
  builder_.AddSample(Event::kWall, 3, worker_, 1, sleep, ApplicationBuilder::Nanos(49)).state = ThreadState::kSleeping;
  const Finding finding = Found("sleep-3.0");
  EXPECT_NE(finding.evidence.find("java.lang.Thread.sleep below com.example.Slacker.call"), std::string::npos)
      << finding.evidence;
  EXPECT_EQ(finding.selection.event, EventName(Event::kWall));
  EXPECT_FALSE(Finds("python-bound-3.0"));
}

TEST_F(StageRulesTest, WaitsOfTasksAsTheyStartAndOfShortStagesAreNotWorthAProfile) {
  builder_.AddTask(0, builder_.AddStage(2, 0, 0), executor_, 0, 1, 1);
  for (int64_t tid = 1; tid <= 8; ++tid) {
    const double begin = 10 + static_cast<double>((tid - 1) / 2) * 10;
    builder_.AddTask(tid, stage_, executor_, begin, begin + 10, 1);
  }
  EXPECT_EQ(Found("sleep-3.0").title, "Stage 3: tasks use a CPU for only 10.0% of their run time");
  for (size_t row = 1; row <= 8; ++row)
    tasks().Column(TaskMetric::kExecutorCpuTime)[row] = ApplicationBuilder::Nanos(row <= 2 ? 0.001 : 8.5);
  EXPECT_FALSE(Finds("sleep-3.0")) << "the first wave compiles";
  for (size_t row = 1; row <= 8; ++row) tasks().Column(TaskMetric::kExecutorCpuTime)[row] = 60'000;
  EXPECT_NE(Found("sleep-3.0").title.find("less than 0.1%"), std::string::npos);
  application().end_ns = ApplicationBuilder::Time(3000);
  EXPECT_FALSE(Finds("sleep-3.0")) << "40 s of 3,000";
}

TEST_F(StageRulesTest, AWaitForPythonIsNotJustAWait) {
  builder_.AddTask(1, stage_, executor_, 0, 50, 1);
  const StackId wait = builder_.AddStack(
      {"org.apache.spark.api.python.BasePythonRunner$ReaderIterator.hasNext", "sun.nio.ch.EPoll.wait"});
  builder_.AddSample(Event::kWall, 3, worker_, 1, wait, ApplicationBuilder::Nanos(50)).state = ThreadState::kSleeping;
  Process python;
  python.role = "python_worker";
  application().processes.push_back({python, executor_});
  auto& series = application().series;
  series.push_back({"process.cpu_ns",
                    executor_,
                    0,
                    SeriesKind::kCounter,
                    {{ApplicationBuilder::Time(1), 0}, {ApplicationBuilder::Time(49), 45e9}}});
  EXPECT_EQ(Found("python-bound-3.0").title, "Stage 3: tasks wait for Python for 100.0% of their time");
  EXPECT_FALSE(Finds("sleep-3.0"));
}

TEST_F(StageRulesTest, AWindowThatComputesItsFrameAgainForEachRowIsNamed) {
  builder_.AddTask(1, stage_, executor_, 0, 50, 50);
  const auto add = [&](const char* frame, double seconds) {
    builder_.AddSample(Event::kCpu, 3, worker_, 1, builder_.AddStack({"org.apache.spark.scheduler.Task.run", frame}),
                       ApplicationBuilder::Nanos(seconds));
  };
  add("org.apache.spark.sql.execution.window.UnboundedFollowingWindowFunctionFrame.write", 30);
  add("org.apache.spark.sql.execution.SortExec.doExecute", 70);
  const Finding finding = Found("window-frame-3.0");
  EXPECT_EQ(finding.title, "Stage 3: a window computes its frame again for each row, in 30.0% of CPU time");
  EXPECT_TRUE(finding.change.starts_with("Reverse the order")) << finding.change;
  add("org.apache.spark.sql.execution.SortExec.doExecute", 1);
  EXPECT_FALSE(Finds("window-frame-3.0"));
}

TEST_F(StageRulesTest, WithoutSamplesAWindowThatTakesLongForEachRowIsNamedByItsPlan) {
  builder_.AddTask(1, stage_, executor_, 0, 50, 50);
  SqlExecution sql;
  sql.id = 5;
  sql.plan.name = "Window";
  sql.plan.stages = {3};
  PlanNode range{.name = "Range", .metrics = {Rows(2'500'000)}, .stages = {3}};
  sql.plan.children = {range};
  application().sql_executions = {sql};
  stage().sql_execution = 5;
  const auto has = [&](const char* frame) {
    application().sql_executions[0].plan.text = fmt::format(
        "Window [sum(a#1) windowspecdefinition(b#2, c#3 ASC NULLS FIRST, specifiedwindowframe({})) AS d#4]", frame);
    return Finds("window-frame-3.0");
  };
  EXPECT_TRUE(has("RowFrame, currentrow$(), unboundedfollowing$()"));
  EXPECT_TRUE(has("RowFrame, -99, 1"));
  EXPECT_TRUE(has("RangeFrame, -interval 30 days, currentrow$()"));
  EXPECT_FALSE(has("RowFrame, -99, currentrow$()"));
  EXPECT_FALSE(has("RowFrame, unboundedpreceding$(), currentrow$()"));
  EXPECT_FALSE(has("RowFrame, unboundedpreceding$(), unboundedfollowing$()"));
  application().sql_executions[0].plan.children[0].metrics[0].value += 1;
  EXPECT_FALSE(has("RowFrame, currentrow$(), unboundedfollowing$()")) << "less than 20 µs for each row";
}

TEST_F(StageRulesTest, SlowCompressionNamesTheDataItCompresses) {
  builder_.AddTask(1, stage_, executor_, 0, 50, 50);
  const auto add = [&](std::initializer_list<std::string_view> frames, double seconds) {
    builder_.AddSample(Event::kCpu, 3, worker_, 1, builder_.AddStack(frames), ApplicationBuilder::Nanos(seconds));
  };
  add({"org.apache.spark.storage.DiskBlockObjectWriter.write",
       "com.github.luben.zstd.ZstdOutputStreamNoFinalizer.write"},
      30);
  add({"org.apache.spark.storage.ShuffleBlockFetcherIterator.next",
       "com.github.luben.zstd.ZstdInputStreamNoFinalizer.read"},
      70);
  const Finding finding = Found("compression-3.0");
  EXPECT_EQ(finding.title, "Stage 3: compressing shuffle data takes 30.0% of CPU time");
  add({"org.apache.spark.sql.execution.datasources.csv.CsvOutputWriter.write", "java.util.zip.Deflater.deflate"}, 31);
  EXPECT_NE(Found("compression-3.0").title.find("compressing output"), std::string::npos);
  add({"org.apache.spark.scheduler.Task.run"}, 100);
  EXPECT_FALSE(Finds("compression-3.0"));
}

TEST_F(StageRulesTest, WithoutSamplesASlowLevelOfZstdIsNamedWhereBytesTakeLong) {
  builder_.AddTask(1, stage_, executor_, 0, 50, 50);
  tasks().Column(TaskMetric::kShuffleWriteBytes)[0] = 500'000'000;
  const auto at_level = [&](const char* level) {
    Set({{"spark.io.compression.zstd.level", level}});
    return Finds("compression-3.0");
  };
  EXPECT_TRUE(at_level("19"));
  EXPECT_FALSE(at_level("3"));
  tasks().Column(TaskMetric::kShuffleWriteBytes)[0] += 1;
  EXPECT_FALSE(at_level("19")) << "less than 100 ns for each byte";
}

TEST_F(StageRulesTest, ASlowLevelOfZstdThatTheWriterChoseIsNamedAsItsOption) {
  builder_.AddTask(1, stage_, executor_, 0, 50, 50);
  tasks().Column(TaskMetric::kOutputBytes)[0] = 500'000'000;
  application().stages[0].sql_execution = 5;
  SqlExecution& sql = application().sql_executions.emplace_back();
  sql.id = 5;
  sql.plan.name = "Execute InsertIntoHadoopFsRelationCommand";
  const auto at_level = [&](std::string_view level) {
    sql.plan.text = fmt::format(
        "Execute InsertIntoHadoopFsRelationCommand file:/a, false, Parquet, [compression=zstd, "
        "parquet.compression.codec.zstd.level={}, path=file:/a], ErrorIfExists, [ip]",
        level);
    return Finds("compression-3.0");
  };
  EXPECT_FALSE(at_level("3"));
  ASSERT_TRUE(at_level("19"));
  EXPECT_EQ(Found("compression-3.0").title, "Stage 3: output is compressed by zstd at level 19");
  EXPECT_NE(Found("compression-3.0").change.find("parquet.compression.codec.zstd.level=19"), std::string::npos);
}

TEST_F(StageRulesTest, AnObjectBuiltForEachRecordIsNamed) {
  builder_.AddTask(1, stage_, executor_, 0, 50, 49);
  builder_.AddSample(
      Event::kCpu, 3, worker_, 1,
      builder_.AddStack({"com.example.Heckler.call", "com.example.Parser.<init>", "java.util.HashMap.put"}),
      ApplicationBuilder::Nanos(30));
  builder_.AddSample(Event::kCpu, 3, worker_, 1, builder_.AddStack({"com.example.Heckler.call"}),
                     ApplicationBuilder::Nanos(19));
  const Finding finding = Found("hot-3.0");
  EXPECT_NE(finding.title.find("building one kind of object"), std::string::npos);
  EXPECT_NE(finding.what.find("com.example.Parser.<init> takes 61.2%"), std::string::npos) << finding.what;
  // The evidence selects existing samples.
  const auto rows = SelectSamples(application(), finding.selection);
  ASSERT_TRUE(rows.has_value());
  EXPECT_EQ(rows->size(), 1u);
}

TEST_F(StageRulesTest, CoresWithoutTasksAreIdle) {
  builder_.AddTask(1, stage_, executor_, 0, 10, 9);
  const Answers answers = Answer(application());
  ASSERT_EQ(answers.context.size(), 1u);
  const Finding* finding = answers.context.data();
  EXPECT_NE(finding->what.find("95.0%"), std::string::npos) << finding->what;
}

TEST_F(StageRulesTest, AWaitForTheShuffleIsNamed) {
  const size_t row = builder_.AddTask(1, stage_, executor_, 0, 50, 20);
  tasks().Column(TaskMetric::kShuffleFetchWait)[row] = ApplicationBuilder::Nanos(25);
  const Finding finding = Found("fetch-wait-3.0");
  EXPECT_EQ(finding.saving.likely_ns, ApplicationBuilder::Nanos(20));
  EXPECT_FALSE(finding.condition.empty());
}

TEST_F(StageRulesTest, AFullGpuMemoryIsNamedFromATenthOfTheRunTimeOn) {
  builder_.AddTask(1, stage_, executor_, 0, 50, 20);
  Stage& stage = application().stages.back();
  stage.engine_metrics = {{"gpuRetryComputationTime", ApplicationBuilder::Nanos(3)},
                          {"gpuSpillToHostTime", ApplicationBuilder::Nanos(1.9)}};
  EXPECT_FALSE(Finds("engine-retries-3.0"));
  stage.engine_metrics.emplace_back("gpuRetryBlockTime", ApplicationBuilder::Nanos(0.1));
  stage.engine_metrics.emplace_back("gpuRetryCount", 7);
  const Finding finding = Found("engine-retries-3.0");
  EXPECT_EQ(finding.title, "Stage 3: retries and spills of the GPU take 10.0% of run time");
  EXPECT_NE(finding.evidence.find("retries 3.1 s"), std::string::npos) << finding.evidence;
  EXPECT_EQ(finding.saving.likely_ns, ApplicationBuilder::Nanos(5));
}

TEST_F(StageRulesTest, ABusySchedulerIsFoundInTheDriver) {
  for (int64_t tid = 0; tid < 4; ++tid) {
    const size_t row = builder_.AddTask(tid, stage_, executor_, 0, 50, 20);
    tasks().Column(TaskMetric::kSchedulerDelay)[row] = ApplicationBuilder::Nanos(25);
  }
  const Finding finding = Found("scheduler-delay-3.0");
  EXPECT_EQ(finding.selection.executor, "driver");
}

TEST_F(StageRulesTest, ExecutorsThatStartAreNoBusyScheduler) {
  for (int64_t tid = 0; tid < 2; ++tid) {
    const size_t row = builder_.AddTask(tid, stage_, executor_, 0, 50, 20);
    tasks().Column(TaskMetric::kSchedulerDelay)[row] = ApplicationBuilder::Nanos(25);
  }
  EXPECT_FALSE(Finds("scheduler-delay-3.0"));
}

TEST_F(StageRulesTest, ManyTasksOfAFewMillisecondsAreTooMany) {
  for (int64_t tid = 0; tid < 2000; ++tid) {
    const double begin = static_cast<double>(tid / 2) * 0.0625;
    const size_t row = builder_.AddTask(tid, stage_, executor_, begin, begin + 0.0625, 0.01);
    tasks().Column(TaskMetric::kExecutorRunTime)[row] = ApplicationBuilder::Nanos(0.02);
  }
  const Finding finding = Found("tiny-tasks-3.0");
  EXPECT_NE(finding.change.find("about 40 partitions: coalesce() before the stage"), std::string::npos)
      << finding.change;
  application().stages[0].sql_execution = 5;
  for (size_t row = 0; row < 2000; ++row) tasks().Column(TaskMetric::kShuffleReadBytes)[row] = 10;
  application().spark_version = "3.1.1";
  EXPECT_NE(Found("tiny-tasks-3.0").change.find("Set spark.sql.adaptive.enabled=true"), std::string::npos)
      << Found("tiny-tasks-3.0").change;
}

// The stages exceed the limits of grouped stages and of tiny tasks.
TEST_F(StageRulesTest, StagesThatASettingOfALibraryDividesAreOneAndTheSettingIsTheAdvice) {
  constexpr int kStages = 5, kTasks = 50;
  double begin = 0;
  for (int i = 0; i < kStages; ++i) {
    const int32_t stage = builder_.AddStage(10 + i, 0, 0, "recordOperation at DatabricksLogging.scala:128");
    Stage& of_delta = application().stages[static_cast<size_t>(stage)];
    of_delta.details = "org.apache.spark.sql.delta.Snapshot.recordOperation(Snapshot.scala:80)";
    of_delta.task_count = kTasks;
    for (int task = 0; task < kTasks; ++task) {
      const size_t row = builder_.AddTask(i * kTasks + task, stage, executor_, begin, begin + 0.4, 0.35);
      tasks().Column(TaskMetric::kExecutorRunTime)[row] = ApplicationBuilder::Nanos(0.39);
      tasks().Column(TaskMetric::kShuffleReadBytes)[row] = 500;
      if (task % 2 == 1) begin += 0.4;
    }
  }
  application().end_ns = ApplicationBuilder::Time(begin);
  const Answers answers = Answer(application());
  ASSERT_FALSE(answers.findings.empty());
  EXPECT_EQ(answers.findings[0].title, "5 stages of 50 tiny tasks");
  EXPECT_EQ(answers.findings[0].change.substr(0, 47), "Set spark.databricks.delta.snapshotPartitions=2");
  EXPECT_GT(answers.findings[0].saving.likely_ns, ApplicationBuilder::Nanos(0.7 * begin));
  EXPECT_TRUE(answers.findings[0].frames.empty()) << "the line of the library is not the program's";
  EXPECT_NE(answers.verdict.find("5 stages (Delta Lake: the state of a table, computed after each commit)"),
            std::string::npos)
      << answers.verdict;
}

TEST_F(StageRulesTest, ManyTasksOfLittleDataAreTooManyOnABusyMachine) {
  const StackId stack = builder_.AddStack({"com.example.Job.run"});
  const uint32_t thread = builder_.AddThread(200, "Executor task launch worker", executor_);
  for (int64_t tid = 0; tid < 200; ++tid) {
    const double begin = static_cast<double>(tid / 2) * 0.75;
    const size_t row = builder_.AddTask(tid, stage_, executor_, begin, begin + 0.75, 0.1);
    tasks().Column(TaskMetric::kInputBytes)[row] = 64 << 10;
    builder_.AddSample(Event::kWall, tid / 3, thread, tid, stack, 1);
  }
  const Finding finding = Found("tiny-tasks-3.0");
  EXPECT_NE(finding.evidence.find("the median task reads 64.0 KiB, the fastest takes 750 ms"), std::string::npos)
      << finding.evidence;
  // Without samples, tasks of up to a second.
  application().profile.samples.clear();
  EXPECT_TRUE(Finds("tiny-tasks-3.0"));
  for (size_t row = 0; row < 200; ++row) tasks().Column(TaskMetric::kInputBytes)[row] += 1;
  EXPECT_FALSE(Finds("tiny-tasks-3.0"));
}

TEST_F(StageRulesTest, SamplesShowThatTasksWithoutDataHaveLittleToDo) {
  const StackId stack = builder_.AddStack({"com.example.Job.run"});
  const uint32_t thread = builder_.AddThread(200, "Executor task launch worker", executor_);
  for (int64_t tid = 0; tid < 200; ++tid) {
    const double begin = static_cast<double>(tid / 2) * 0.75;
    builder_.AddTask(tid, stage_, executor_, begin, begin + 0.75, 0.1);
    builder_.AddSample(Event::kWall, tid / 3, thread, tid, stack, 1);
  }
  EXPECT_TRUE(Finds("tiny-tasks-3.0"));
  for (Sample& sample : application().profile.samples) sample.state = ThreadState::kSleeping;
  EXPECT_FALSE(Finds("tiny-tasks-3.0"));
}

TEST_F(StageRulesTest, WhatTheFastestTaskTakesWithLittleToDoIsTheCostOfEachTask) {
  for (int64_t tid = 0; tid < 500; ++tid) {
    const double begin = static_cast<double>(tid / 2) * 0.15;
    const size_t row = builder_.AddTask(tid, stage_, executor_, begin, begin + (tid == 7 ? 0.1 : 0.15), 0.01);
    tasks().Column(TaskMetric::kExecutorRunTime)[row] = ApplicationBuilder::Nanos(0.15);
    tasks().Column(TaskMetric::kShuffleReadBytes)[row] = 1 << 10;
  }
  const Finding finding = Found("tiny-tasks-3.0");
  EXPECT_NEAR(static_cast<double>(finding.saving.likely_ns), ApplicationBuilder::Nanos(0.09) * 200.0, 1e9);
  EXPECT_NE(finding.evidence.find("the median task reads 1.0 KiB, the fastest takes 100 ms"), std::string::npos)
      << finding.evidence;
}

TEST_F(StageRulesTest, CollectionsOfExecutorsThatStartAreNoPressure) {
  for (int64_t tid = 0; tid < 10; ++tid) {
    const double begin = static_cast<double>(tid / 2) * 10;
    builder_.AddTask(tid, stage_, executor_, begin, begin + 10, 5);
    tasks().Column(TaskMetric::kGcTime)[static_cast<size_t>(tid)] = ApplicationBuilder::Nanos(tid < 2 ? 6 : 1);
  }
  EXPECT_FALSE(Finds("gc-3.0"));
  tasks().Column(TaskMetric::kGcTime)[2] = ApplicationBuilder::Nanos(1.1);
  EXPECT_TRUE(Finds("gc-3.0")) << "less than six tenths in the first tasks";
}

TEST_F(StageRulesTest, PartitionsOfAGibibyteThatTakeAMinuteAreLarge) {
  for (int64_t tid = 0; tid < 4; ++tid) {
    const size_t row = builder_.AddTask(tid, stage_, executor_, 0, 60, 50);
    tasks().Column(TaskMetric::kInputBytes)[row] = int64_t{1} << 30;
  }
  const Finding finding = Found("large-partitions-3.0");
  EXPECT_NE(finding.change.find("about 32 partitions instead of 4"), std::string::npos) << finding.change;
  for (size_t row = 0; row < 4; ++row) tasks().Column(TaskMetric::kInputBytes)[row] = (int64_t{1} << 30) - 1;
  EXPECT_FALSE(Finds("large-partitions-3.0"));
}

}  // namespace
}  // namespace sparkprof
