// SPDX-License-Identifier: Apache-2.0
#include "recording/task_intervals.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace sparkprof {
namespace {

class TaskIntervalsTest : public testing::Test {
 protected:
  void Add(const std::vector<TaskInterval>& intervals, int32_t executor = 0) {
    ApplicationIndex index(&application);
    TaskIntervals merged(&application, &index);
    merged.Add(intervals, executor);
    merged.Finish();
  }

  Application application;
  Tasks& tasks = application.tasks;
};

TEST_F(TaskIntervalsTest, AnIntervalBecomesATaskOfItsStage) {
  Add({{.task = 7,
        .stage = 3,
        .stage_attempt = 1,
        .partition = 5,
        .attempt = 2,
        .sql_execution = 9,
        .begin_ns = 100,
        .end_ns = 400,
        .status = TaskStatus::kSucceeded}},
      4);
  ASSERT_EQ(tasks.Size(), 1u);
  EXPECT_EQ(tasks.id[0], 7);
  EXPECT_EQ(tasks.partition[0], 5);
  EXPECT_EQ(tasks.attempt[0], 2);
  EXPECT_EQ(tasks.executor[0], 4);
  EXPECT_EQ(tasks.launch_ns[0], 100);
  EXPECT_EQ(tasks.finish_ns[0], 400);
  EXPECT_EQ(tasks.outcome[0], TaskOutcome::kSucceeded);
  EXPECT_EQ(tasks.Column(TaskMetric::kDuration)[0], 300);
  ASSERT_EQ(application.stages.size(), 1u);
  const Stage& stage = application.stages[0];
  EXPECT_EQ(stage.id, 3);
  EXPECT_EQ(stage.attempt, 1);
  EXPECT_EQ(stage.name, "stage 3");
  EXPECT_EQ(stage.sql_execution, 9);
  EXPECT_EQ(stage.task_count, 1);
  EXPECT_EQ(stage.submit_ns, 100);
  EXPECT_EQ(stage.end_ns, 400);
  EXPECT_EQ(stage.status, RunStatus::kSucceeded);
}

TEST_F(TaskIntervalsTest, AStageLastsFromItsFirstTaskToItsLast) {
  Add({{.task = 1, .stage = 3, .begin_ns = 200, .end_ns = 300, .status = TaskStatus::kFailed},
       {.task = 2, .stage = 3, .begin_ns = 100, .end_ns = 250, .status = TaskStatus::kSucceeded},
       {.task = 3, .stage = 3, .begin_ns = 150, .end_ns = 200, .status = TaskStatus::kSucceeded}});
  ASSERT_EQ(application.stages.size(), 1u);
  EXPECT_EQ(application.stages[0].task_count, 3);
  EXPECT_EQ(application.stages[0].submit_ns, 100);
  EXPECT_EQ(application.stages[0].end_ns, 300);
  EXPECT_EQ(tasks.outcome[0], TaskOutcome::kFailed);
  EXPECT_EQ(tasks.outcome[1], TaskOutcome::kSucceeded);
}

TEST_F(TaskIntervalsTest, AStageOfARunningTaskRuns) {
  Add({{.task = 1, .stage = 0, .begin_ns = 100, .end_ns = 300, .status = TaskStatus::kSucceeded},
       {.task = 0, .stage = 0, .begin_ns = 150}});
  ASSERT_EQ(application.stages.size(), 1u);
  EXPECT_EQ(application.stages[0].status, RunStatus::kRunning);
  EXPECT_EQ(application.stages[0].end_ns, 0);
  EXPECT_EQ(tasks.outcome[1], TaskOutcome::kRunning);
  EXPECT_EQ(tasks.finish_ns[1], 0);
  EXPECT_EQ(tasks.Column(TaskMetric::kDuration)[1], 0);
}

TEST_F(TaskIntervalsTest, WhatTheDriverReportedIsKept) {
  ApplicationIndex index(&application);
  const auto stage = static_cast<size_t>(index.Stage(3, 0));
  application.stages[stage].name = "count at Job.scala:7";
  application.stages[stage].sql_execution = 2;
  application.stages[stage].status = RunStatus::kFailed;
  const auto row = static_cast<size_t>(index.Task(7));
  tasks.stage[row] = static_cast<int32_t>(stage);
  tasks.partition[row] = 0;
  tasks.attempt[row] = 1;
  tasks.executor[row] = 0;
  tasks.launch_ns[row] = 90;
  tasks.finish_ns[row] = 410;
  tasks.outcome[row] = TaskOutcome::kFailed;
  tasks.Column(TaskMetric::kDuration)[row] = 320;
  Add({{.task = 7,
        .stage = 4,
        .partition = 5,
        .attempt = 2,
        .sql_execution = 9,
        .begin_ns = 100,
        .end_ns = 400,
        .status = TaskStatus::kSucceeded}},
      4);
  ASSERT_EQ(tasks.Size(), 1u);
  EXPECT_EQ(tasks.stage[row], static_cast<int32_t>(stage));
  EXPECT_EQ(tasks.partition[row], 0);
  EXPECT_EQ(tasks.attempt[row], 1);
  EXPECT_EQ(tasks.executor[row], 0);
  EXPECT_EQ(tasks.launch_ns[row], 90);
  EXPECT_EQ(tasks.finish_ns[row], 410);
  EXPECT_EQ(tasks.outcome[row], TaskOutcome::kFailed);
  EXPECT_EQ(tasks.Column(TaskMetric::kDuration)[row], 320);
  ASSERT_EQ(application.stages.size(), 1u);
  EXPECT_EQ(application.stages[stage].name, "count at Job.scala:7");
  EXPECT_EQ(application.stages[stage].status, RunStatus::kFailed);
  EXPECT_EQ(application.stages[stage].task_count, 0);
  EXPECT_EQ(application.stages[stage].submit_ns, 0);
}

TEST_F(TaskIntervalsTest, AnIntervalWithoutATaskIsLeftOut) {
  Add({{.stage = 3, .begin_ns = 100, .end_ns = 200}});
  EXPECT_EQ(tasks.Size(), 0u);
  EXPECT_TRUE(application.stages.empty());
}

TEST_F(TaskIntervalsTest, AnIntervalWithoutAStageIsATaskAlone) {
  Add({{.task = 1, .begin_ns = 100, .end_ns = 200, .status = TaskStatus::kSucceeded}});
  ASSERT_EQ(tasks.Size(), 1u);
  EXPECT_EQ(tasks.stage[0], -1);
  EXPECT_TRUE(application.stages.empty());
}

TEST_F(TaskIntervalsTest, NumbersOutOfRangeAreUnknown) {
  constexpr int64_t kBeyond = int64_t{std::numeric_limits<int32_t>::max()} + 1;
  Add({{.task = 1, .stage = 0, .stage_attempt = -4, .partition = kBeyond, .attempt = -1, .begin_ns = -5, .end_ns = -1},
       {.task = 2, .partition = kBeyond - 1, .attempt = kBeyond - 1},
       {.task = 3, .partition = 0, .attempt = kBeyond}});
  ASSERT_EQ(tasks.Size(), 3u);
  EXPECT_EQ(application.stages[0].attempt, 0);
  EXPECT_EQ(tasks.partition, (std::vector<int32_t>{-1, kBeyond - 1, 0}));
  EXPECT_EQ(tasks.attempt, (std::vector<int32_t>{0, kBeyond - 1, 0}));
  EXPECT_EQ(tasks.launch_ns[0], 0);
  EXPECT_EQ(tasks.finish_ns[0], 0);
}

TEST_F(TaskIntervalsTest, CpuSamplesAreCountedForTheirTask) {
  Profile& profile = application.profile;
  const EventId alloc = profile.AddEvent("alloc", "bytes"), cpu = profile.AddEvent("cpu", "ns");
  profile.tasks.resize(1);
  profile.tasks.push_back({.task = 7, .stage = 3, .stage_attempt = 0, .partition = 0});
  profile.samples = {{.task = 1, .event = cpu, .weight = 10},
                     {.task = 1, .event = cpu, .weight = 5},
                     {.task = 1, .event = alloc, .weight = 1000},
                     {.task = 0, .event = cpu, .weight = 2}};
  Add({{.task = 7, .stage = 3, .begin_ns = 100, .end_ns = 200, .status = TaskStatus::kSucceeded}});
  ASSERT_EQ(tasks.Size(), 1u);
  EXPECT_EQ(tasks.Column(TaskMetric::kCpuSamples)[0], 15);
}

}  // namespace
}  // namespace sparkprof
