// SPDX-License-Identifier: Apache-2.0
#include "analysis/comparison/what_if.h"

#include <gtest/gtest.h>

#include <utility>

#include "analysis/testing/application_builder.h"

namespace sparkprof {
namespace {

// Stage 0 has four tasks of 10 s on two cores from second 10 on, stage 1 two of 5 s and 15 s from second 32 on; the
// application takes 50 s.
Application TwoStages() {
  ApplicationBuilder builder;
  const int32_t executor = builder.AddExecutor("1", 2);
  const int32_t first = builder.AddStage(0, 0, 0), second = builder.AddStage(1, 0, 0);
  builder.AddTask(0, first, executor, 10, 20);
  builder.AddTask(1, first, executor, 10, 20);
  builder.AddTask(2, first, executor, 20, 30);
  builder.AddTask(3, first, executor, 20, 30);
  builder.AddTask(4, second, executor, 32, 37);
  builder.AddTask(5, second, executor, 32, 47);
  Application application = std::move(builder.application());
  application.end_ns = ApplicationBuilder::Time(50);
  application.stages[0].submit_ns = ApplicationBuilder::Time(10);
  application.stages[1].submit_ns = ApplicationBuilder::Time(32);
  application.stages[1].parents = {0};
  return application;
}

int64_t Seconds(const WhatIf& what_if) { return Predict(TwoStages(), what_if).predicted_ns / kNanosPerSecond; }

TEST(WhatIfTest, TheRecordedConditionsTakeTheRecordedTime) {
  const Prediction prediction = Predict(TwoStages(), {});
  EXPECT_EQ(prediction.recorded_ns, 50 * kNanosPerSecond);
  EXPECT_EQ(prediction.replayed_ns, 50 * kNanosPerSecond);
  EXPECT_EQ(prediction.predicted_ns, 50 * kNanosPerSecond);
  EXPECT_EQ(prediction.low_ns, prediction.high_ns);
  EXPECT_EQ(prediction.recorded_cores, 2);
}

TEST(WhatIfTest, CoresChangeTheTimeOfTasksAndNotTheDriversPauses) {
  EXPECT_EQ(Seconds({.cores = 1}), 10 + 40 + 2 + 20 + 3);
  EXPECT_EQ(Seconds({.cores = 4}), 10 + 10 + 2 + 15 + 3);
  EXPECT_EQ(Seconds({.cores = 400}), 10 + 10 + 2 + 15 + 3);
}

TEST(WhatIfTest, TasksThatWaitForOneLockTakeAsLongOnAnyNumberOfCores) {
  Application application = TwoStages();
  const EventId lock = application.profile.AddEvent(Event::kLock);
  for (int64_t task = 0; task < 4; ++task) {
    application.profile.tasks.push_back({.task = task});
    const auto row = static_cast<uint32_t>(application.profile.tasks.size()) - 1;
    application.profile.samples.push_back({.task = row, .event = lock, .weight = 5 * kNanosPerSecond});
  }
  EXPECT_EQ(Predict(application, {.cores = 1}).predicted_ns / kNanosPerSecond, 10 + 20 + 2 + 20 + 3);
  EXPECT_EQ(Predict(application, {.cores = 4}).predicted_ns / kNanosPerSecond, 10 + 20 + 2 + 15 + 3);
}

TEST(WhatIfTest, WithoutSkewEveryTaskTakesTheMean) { EXPECT_EQ(Seconds({.no_skew = true}), 10 + 20 + 2 + 10 + 3); }

TEST(WhatIfTest, AFasterStageShortensItselfOnly) { EXPECT_EQ(Seconds({.twice_as_fast = {0}}), 10 + 10 + 2 + 15 + 3); }

TEST(WhatIfTest, TheRangeContainsThePrediction) {
  const Prediction prediction = Predict(TwoStages(), {.cores = 1});
  EXPECT_LT(prediction.low_ns, prediction.predicted_ns);
  EXPECT_GT(prediction.high_ns, prediction.predicted_ns);
}

TEST(WhatIfTest, CoresOfALocalMasterAreSharedSoTheRangeReachesBackToTheRecordedTime) {
  Application application = TwoStages();
  for (size_t task = 0; task < application.tasks.Size(); ++task) {
    application.tasks.Column(TaskMetric::kExecutorCpuTime)[task] =
        application.tasks.Column(TaskMetric::kDuration)[task];
  }
  const Prediction cluster = Predict(application, {.cores = 1});
  application.master = "local[2]";
  const Prediction fewer = Predict(application, {.cores = 1});
  EXPECT_EQ(fewer.predicted_ns, cluster.predicted_ns);
  // Two runs on one machine differ by 15%.
  EXPECT_EQ(fewer.high_ns / kNanosPerSecond, 86);
  // Four fifths of the change from 50 s to 75 s.
  EXPECT_EQ(fewer.low_ns / kNanosPerSecond, 55);
  EXPECT_GT(cluster.low_ns, fewer.low_ns);
  const Prediction more = Predict(application, {.cores = 4});
  EXPECT_EQ(more.high_ns / kNanosPerSecond, 48);  // a fifth of the change to 40 s
}

TEST(WhatIfTest, ExecutorsThatReplaceOthersAddNoCores) {
  Application application = TwoStages();
  application.executors[0].remove_ns = ApplicationBuilder::Time(40);
  application.executors.push_back(application.executors[0]);
  application.executors[1].add_ns = ApplicationBuilder::Time(40);
  application.executors[1].remove_ns = 0;
  EXPECT_EQ(Predict(application, {}).recorded_cores, 2);
  application.executors[1].add_ns = ApplicationBuilder::Time(39);
  EXPECT_EQ(Predict(application, {}).recorded_cores, 4);
}

TEST(WhatIfTest, WithoutTasksThereIsNoPrediction) { EXPECT_EQ(Predict(Application(), {}).predicted_ns, 0); }

}  // namespace
}  // namespace sparkprof
