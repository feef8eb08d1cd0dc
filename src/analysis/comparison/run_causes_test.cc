// SPDX-License-Identifier: Apache-2.0
#include "analysis/comparison/run_causes.h"

#include <gtest/gtest.h>

#include "analysis/selection/stack_kinds.h"
#include "analysis/testing/application_builder.h"

namespace sparkprof {
namespace {

// A run with one stage of one task.
class ComparedRun : public ApplicationBuilder {
 public:
  explicit ComparedRun(double seconds, double cpu_seconds = 1) {
    const int32_t executor = AddExecutor("driver", 1);
    AddJob(0, {0});
    AddStage(0, 0, 0);
    application().stages[0].submit_ns = Time(1);
    application().stages[0].end_ns = Time(1 + seconds);
    AddTask(0, 0, executor, 1, 1 + seconds, cpu_seconds);
    thread_ = AddThread(1, "Executor task launch worker", executor);
    application().end_ns = Time(2 + seconds);
  }

  void Waits(const char* function, double seconds) {
    Sample& sample =
        AddSample(Event::kWall, 1, thread_, 0, AddStack({function, "java.lang.Thread.sleep"}), Nanos(seconds));
    sample.state = ThreadState::kSleeping;
  }

  void WaitsForLock(const char* monitor, double seconds) {
    AddSample(Event::kLock, 1, thread_, 0, AddStack({monitor}), Nanos(seconds));
  }

 private:
  uint32_t thread_ = 0;
};

std::vector<RunCause> Causes(ComparedRun before, ComparedRun after) {
  const Application &a = before.application(), &b = after.application();
  return CausesOfChange(CompareRuns(a, b), a, SummarizeStages(a, KindsOfStacks(a)), b,
                        SummarizeStages(b, KindsOfStacks(b)));
}

TEST(RunCausesTest, NothingThatChangedHasNoCause) { EXPECT_TRUE(Causes(ComparedRun(5), ComparedRun(5.01)).empty()); }

TEST(RunCausesTest, ALockThatIsGoneIsNamed) {
  ComparedRun before(9);
  before.WaitsForLock("example.Registry", 7);
  const std::vector<RunCause> causes = Causes(before, ComparedRun(2));
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].kind, "lock");
  EXPECT_EQ(causes[0].stage, 0);
  EXPECT_EQ(causes[0].delta_ns, ApplicationBuilder::Nanos(-7));
  EXPECT_NE(
      causes[0].text.find("no waiting for locks, 7.0 s before; most of it in example.Registry, 7.0 s before, none now"),
      std::string::npos)
      << causes[0].text;
}

TEST(RunCausesTest, AWaitNamesTheFunctionThatWaitsLonger) {
  ComparedRun before(3), after(8);
  before.Waits("example.Job.same", 1);
  after.Waits("example.Job.same", 1);
  after.Waits("example.Client.call", 5);
  const std::vector<RunCause> causes = Causes(before, after);
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].kind, "wait");
  EXPECT_NE(causes[0].text.find("example.Client.call"), std::string::npos) << causes[0].text;
}

TEST(RunCausesTest, MoreCpuTimeForTheSameDataIsTheCode) {
  const std::vector<RunCause> causes = Causes(ComparedRun(2, 2), ComparedRun(8, 8));
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].kind, "code");
  EXPECT_EQ(causes[0].delta_ns, ApplicationBuilder::Nanos(6));
}

TEST(RunCausesTest, MoreDataExplainsMoreTime) {
  ComparedRun before(2, 2), after(8, 8);
  before.application().tasks.Column(TaskMetric::kInputBytes)[0] = 1'000'000;
  after.application().tasks.Column(TaskMetric::kInputBytes)[0] = 4'000'000;
  EXPECT_EQ(Causes(before, after)[0].kind, "data");
}

TEST(RunCausesTest, LessDataDoesNotExplainMoreTime) {
  ComparedRun before(2, 2), after(8, 8);
  before.application().tasks.Column(TaskMetric::kInputBytes)[0] = 4'000'000;
  after.application().tasks.Column(TaskMetric::kInputBytes)[0] = 1'000'000;
  EXPECT_EQ(Causes(before, after)[0].kind, "code");
}

TEST(RunCausesTest, ALongerLongestTaskAndNoMoreTimeOfAllIsSkew) {
  ComparedRun before(5), after(9);
  before.AddTask(1, 0, 0, 1, 6);
  after.AddTask(1, 0, 0, 1, 2);
  const std::vector<RunCause> causes = Causes(before, after);
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].kind, "skew");
  EXPECT_TRUE(causes[0].text.ends_with("the longest task takes 9.0 s, 5.0 s before")) << causes[0].text;
}

TEST(RunCausesTest, TimeWithoutTasksIsTheDrivers) {
  ComparedRun before(5), after(5);
  after.application().end_ns += ApplicationBuilder::Nanos(10);
  const std::vector<RunCause> causes = Causes(before, after);
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].kind, "driver");
  EXPECT_FALSE(causes[0].stage.has_value());
  EXPECT_EQ(causes[0].text,
            "No task runs for 12.0 s, 2.0 s before; most of it after the last task, 1.0 s before, 11.0 s now");
}

TEST(RunCausesTest, AnRddThatIsKeptIsNamedBeforeWhatItSaves) {
  ComparedRun before(9, 8), after(2, 1);
  CachedRdd& rdd = after.application().cached_rdds.emplace_back();
  rdd.stages = {0};
  const std::vector<RunCause> causes = Causes(before, after);
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].kind, "cache");
  EXPECT_EQ(Causes(after, before)[0].kind, "cache");
}

}  // namespace
}  // namespace sparkprof
