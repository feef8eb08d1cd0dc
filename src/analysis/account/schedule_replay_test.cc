// SPDX-License-Identifier: Apache-2.0
#include "analysis/account/schedule_replay.h"

#include <gtest/gtest.h>

#include <functional>

#include "analysis/testing/application_builder.h"
#include "analysis/testing/worked_example.h"

namespace sparkprof {
namespace {

class Replayed {
 public:
  explicit Replayed(const Application& application)
      : application_(application),
        times_(SlotTimesOf(application)),
        schedule_(ScheduleOf(application, times_, SummarizeStages(application, KindsOfStacks(application)))),
        replay_(application, times_, schedule_) {}

  const ScheduleReplay& replay() const { return replay_; }
  const Schedule& schedule() const { return schedule_; }

  // The saving without these seconds of each task (row), rounded to milliseconds.
  double Saving(const std::function<double(size_t task)>& seconds_less) const { return Saving(Less(seconds_less)); }

  double Saving(const ScheduleChange& change) const {
    if (!replay_.IsReliable()) return -1;
    return static_cast<double>((replay_.UnchangedNs() - replay_.DurationWith(change)) / kNanosPerMilli) / 1e3;
  }

  ScheduleChange Less(const std::function<double(size_t task)>& seconds_less) const {
    ScheduleChange change;
    for (size_t task = 0; task < application_.tasks.Size(); ++task)
      change.task_ns.push_back(-ApplicationBuilder::Nanos(seconds_less(task)));
    return change;
  }

 private:
  const Application& application_;
  SlotTimes times_;
  Schedule schedule_;
  ScheduleReplay replay_;
};

constexpr size_t kLongTask = 40;  // row; those of stage 0 come before

TEST(ScheduleReplayTest, WithoutAChangeTheWorkedExampleTakesAsLongAsItDid) {
  WorkedExample example;
  const Replayed replayed(example.application());
  EXPECT_EQ(replayed.replay().UnchangedNs(), WorkedExample::kDuration);
  EXPECT_TRUE(replayed.replay().IsReliable());
}

TEST(ScheduleReplayTest, SavesWhatTheLongestChainLoses) {
  WorkedExample example;
  const Replayed replayed(example.application());
  const auto of_first_stage = [](double seconds) {
    return [seconds](size_t task) { return task < kLongTask ? seconds : 0; };
  };
  EXPECT_EQ(replayed.Saving(of_first_stage(0.4)), 4) << "garbage collection";
  EXPECT_EQ(replayed.Saving(of_first_stage(0.3)), 3) << "Python";
  EXPECT_EQ(replayed.Saving(of_first_stage(0.58)), 5.8) << "Python and the garbage of its rows";
  EXPECT_EQ(replayed.Saving([](size_t task) { return task > kLongTask ? 0.4 : 0; }), 0) << "beside the long task";
  EXPECT_EQ(replayed.Saving([](size_t task) { return task == kLongTask  ? 6
                                                     : task > kLongTask ? 0.5
                                                                        : 0; }), 6)
      << "spill";
}

TEST(ScheduleReplayTest, ASplitKeyRunsInTasksOfItsOwn) {
  WorkedExample example;
  const Replayed replayed(example.application());
  ScheduleChange change = replayed.Less([](size_t task) { return task == kLongTask ? 30 : 0; });
  change.added_tasks.assign(3, {1, 10 * kNanosPerSecond});
  EXPECT_EQ(replayed.Saving(change), 10);
  // Eight tasks of the same length.
  change = replayed.Less([](size_t task) { return task == kLongTask ? 27.5 : task > kLongTask ? -2.5 : 0; });
  change.added_tasks = {{1, 12'500 * kNanosPerMilli}};
  EXPECT_EQ(replayed.Saving(change), 15);
}

TEST(ScheduleReplayTest, ConcurrentJobsStayConcurrent) {
  ApplicationBuilder builder;
  const int32_t executor = builder.AddExecutor("1", 2);
  for (int64_t id = 0; id < 2; ++id) {
    builder.AddJob(id, {id});
    builder.application().jobs.back().submit_ns = ApplicationBuilder::Time(10);
    builder.application().jobs.back().end_ns = ApplicationBuilder::Time(60);
    builder.AddTask(id, builder.AddStage(id, 0, id), executor, 10, 60, 50);
  }
  const Replayed replayed(builder.application());
  EXPECT_EQ(replayed.replay().UnchangedNs(), ApplicationBuilder::kDuration);
  EXPECT_EQ(replayed.Saving([](size_t task) { return task == 0 ? 30 : 0; }), 0);
  EXPECT_EQ(replayed.Saving([](size_t) { return 30; }), 30);
}

// Two stages of one resource profile each, and an executor that no task ran on.
TEST(ScheduleReplayTest, StagesKeepToExecutorsOfTheirResourceProfile) {
  ApplicationBuilder builder;
  for (const char* const id : {"1", "2", "3"}) builder.AddExecutor(id, 1);
  builder.application().executors[1].resource_profile = 1;
  builder.AddJob(0, {0, 1});
  for (int32_t stage = 0; stage < 2; ++stage) {
    builder.AddStage(stage, 0, 0);
    for (int task = 0; task < 2; ++task) builder.AddTask(2 * stage + task, stage, stage, task * 40, task * 40 + 40, 40);
  }
  const Replayed replayed(builder.application());
  EXPECT_EQ(replayed.replay().UnchangedNs(), ApplicationBuilder::kDuration);
  EXPECT_EQ(replayed.Saving([](size_t task) { return task >= 2 ? 40 : 0; }), 0)
      << "its executor is of no use to the other";
}

}  // namespace
}  // namespace sparkprof
