// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "analysis/testing/application_builder.h"
#include "analysis/time/stage_summary.h"

namespace sparkprof {
namespace {

constexpr int64_t kSecond = kNanosPerSecond;

TEST(StageWallTimeTest, StagesThatRunAtOnceShareTheTime) {
  ApplicationBuilder builder;
  const int32_t executor = builder.AddExecutor("1", 4);
  const int32_t first = builder.AddStage(1, 0, 0), second = builder.AddStage(2, 0, 0);
  builder.AddTask(1, first, executor, 0, 40);
  builder.AddTask(2, second, executor, 20, 40);
  builder.AddTask(3, second, executor, 20, 40);
  builder.AddTask(4, second, executor, 20, 50);
  // From 20 s to 40 s, one of four tasks is the first stage's.
  EXPECT_EQ(WallTimeOfStages(builder.application()), (std::vector<int64_t>{25 * kSecond, 25 * kSecond}));
}

TEST(StageWallTimeTest, TimeWithoutTasksBelongsToNoStage) {
  ApplicationBuilder builder;
  const int32_t executor = builder.AddExecutor("1", 4);
  const int32_t stage = builder.AddStage(1, 0, 0);
  builder.AddStage(2, 0, 0);
  builder.AddTask(1, stage, executor, 10, 20);
  builder.AddTask(2, stage, executor, 60, 61);
  EXPECT_EQ(WallTimeOfStages(builder.application()), (std::vector<int64_t>{11 * kSecond, 0}));
}

}  // namespace
}  // namespace sparkprof
