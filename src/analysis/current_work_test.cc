// SPDX-License-Identifier: Apache-2.0
#include "analysis/current_work.h"

#include <gtest/gtest.h>

#include "analysis/testing/application_builder.h"

namespace sparkprof {
namespace {

class CurrentWorkTest : public testing::Test {
 protected:
  CurrentWorkTest() {
    executor_ = builder_.AddExecutor("1", 2);
    builder_.AddJob(0, {3, 4});
    first_ = builder_.AddStage(3, 0, 0);
    second_ = builder_.AddStage(4, 0, 0);
    application().ended = false;
    stage(first_).submit_ns = ApplicationBuilder::kStart;
    stage(first_).end_ns = ApplicationBuilder::Time(40);
    stage(second_).submit_ns = ApplicationBuilder::Time(40);
    stage(second_).status = RunStatus::kRunning;
    stage(second_).task_count = 8;
  }

  Application& application() { return builder_.application(); }
  Stage& stage(int32_t row) { return application().stages[static_cast<size_t>(row)]; }

  void Run(int64_t task, int32_t stage, double begin, TaskOutcome outcome = TaskOutcome::kRunning) {
    const size_t row = builder_.AddTask(task, stage, executor_, begin, begin + 1);
    application().tasks.outcome[row] = outcome;
    if (outcome == TaskOutcome::kRunning) application().tasks.finish_ns[row] = 0;
  }

  void SamplePython(int64_t second, std::initializer_list<FrameId> stack, int64_t cpu_ns) {
    const StackId id = builder_.AddStack(stack);
    application().python_samples.push_back({.stack = id,
                                            .event = application().profile.AddEvent(Event::kCpu),
                                            .time_ns = ApplicationBuilder::Time(static_cast<double>(second)),
                                            .weight = cpu_ns});
  }

  ApplicationBuilder builder_;
  int32_t executor_ = -1, first_ = -1, second_ = -1;
};

TEST_F(CurrentWorkTest, RunningStagesComeFirstWithTheirTasks) {
  Run(1, first_, 1, TaskOutcome::kSucceeded);
  Run(2, second_, 90);
  Run(3, second_, 60);
  Run(4, second_, 50, TaskOutcome::kFailed);
  const CurrentWork work = WorkNow(application(), 0);
  ASSERT_EQ(work.stages.size(), 2U);
  EXPECT_EQ(work.stages[0].id, 4);
  EXPECT_EQ(work.stages[0].running, 2);
  EXPECT_EQ(work.stages[0].failed, 1);
  EXPECT_EQ(work.stages[0].planned, 8);
  EXPECT_EQ(work.stages[0].elapsed_ns, 60 * kNanosPerSecond);
  EXPECT_EQ(work.stages[0].oldest_ns, 40 * kNanosPerSecond);
  EXPECT_EQ(work.stages[1].done, 1);
  EXPECT_EQ(work.running, 2);
}

TEST_F(CurrentWorkTest, LinesAreTheInnermostOfTheUser) {
  const FrameId job = builder_.AddFrame("run", FrameKind::kPython, "/home/me/job.py", 12);
  const FrameId help = builder_.AddFrame("help", FrameKind::kPython, "/home/me/job.py", 5);
  const FrameId library = builder_.AddFrame("loads", FrameKind::kPython, "/usr/lib/python3.11/json/__init__.py", 300);
  SamplePython(95, {job, help, library}, 3);
  SamplePython(96, {job}, 1);
  const CurrentWork work = WorkNow(application(), 0);
  ASSERT_EQ(work.lines.size(), 2U);
  EXPECT_EQ(work.lines[0].file, "job.py");
  EXPECT_EQ(work.lines[0].line, 5U);
  EXPECT_EQ(work.lines[0].function, "help");
  EXPECT_EQ(work.lines[0].cpu_ns, 3);
  EXPECT_TRUE(work.lines[0].is_python);
}

TEST_F(CurrentWorkTest, TheWindowEndsWithWhatIsKnown) {
  const FrameId early = builder_.AddFrame("early", FrameKind::kPython, "/home/me/job.py", 1);
  const FrameId late = builder_.AddFrame("late", FrameKind::kPython, "/home/me/job.py", 2);
  SamplePython(10, {early}, 5);
  SamplePython(95, {late}, 1);
  const CurrentWork recent = WorkNow(application(), 30 * kNanosPerSecond);
  ASSERT_EQ(recent.lines.size(), 1U);
  EXPECT_EQ(recent.lines[0].function, "late");
  EXPECT_EQ(recent.window_ns, 30 * kNanosPerSecond);
  const CurrentWork whole = WorkNow(application(), 1000 * kNanosPerSecond);
  EXPECT_EQ(whole.window_ns, 0) << "longer than the run";
  EXPECT_EQ(whole.lines.size(), 2U);
}

}  // namespace
}  // namespace sparkprof
