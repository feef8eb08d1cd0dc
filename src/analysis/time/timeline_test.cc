// SPDX-License-Identifier: Apache-2.0
#include "analysis/time/timeline.h"

#include <gtest/gtest.h>

#include "analysis/testing/application_builder.h"

namespace sparkprof {
namespace {

class ConcurrencyTest : public testing::Test {
 protected:
  ConcurrencyTest() : executor_(builder_.AddExecutor("1", 2)), stage_(builder_.AddStage(0, 0, 0)) {}

  ApplicationBuilder builder_;
  const int32_t executor_;
  const int32_t stage_;
};

TEST_F(ConcurrencyTest, ATaskThatFollowsAnotherDoesNotRunBesideIt) {
  builder_.AddTask(1, stage_, executor_, 0, 10, 1);
  builder_.AddTask(2, stage_, executor_, 10, 20, 1);
  EXPECT_EQ(Peak(ConcurrencyOfAll(builder_.application())), 1);
}

TEST_F(ConcurrencyTest, ATaskThatStartsOnTheLastCoreEndsTheOneBefore) {
  builder_.AddTask(1, stage_, executor_, 0, 12, 1);
  builder_.AddTask(2, stage_, executor_, 0, 40, 1);
  builder_.AddTask(3, stage_, executor_, 10, 30, 1);
  EXPECT_EQ(Peak(ConcurrencyOfAll(builder_.application())), 2);
  EXPECT_EQ(Peak(ConcurrencyOf(builder_.application())[static_cast<size_t>(executor_)]), 2);
  builder_.application().executors[static_cast<size_t>(executor_)].cores = 0;
  EXPECT_EQ(Peak(ConcurrencyOfAll(builder_.application())), 3);
}

TEST_F(ConcurrencyTest, TheProfileSharesOutTheWholeDuration) {
  builder_.AddTask(1, stage_, executor_, 10, 40, 1);
  builder_.AddTask(2, stage_, executor_, 20, 30, 1);
  builder_.AddTask(3, stage_, -1, 20, 30, 1);
  const ConcurrencyProfile profile = ProfileOf(builder_.application());
  ASSERT_EQ(profile.peak, 3);
  EXPECT_EQ(profile.time_at_ns, (std::vector<int64_t>{ApplicationBuilder::Nanos(70), ApplicationBuilder::Nanos(20), 0,
                                                      ApplicationBuilder::Nanos(10)}));
  EXPECT_DOUBLE_EQ(profile.mean, 0.5);
  EXPECT_DOUBLE_EQ(profile.mean_active, 50.0 / 30);
}

TEST_F(ConcurrencyTest, ATaskWithoutAnEndRunsAsLongAsTheApplicationOrItsStage) {
  const size_t row = builder_.AddTask(1, stage_, executor_, 90, 95, 1);
  builder_.application().tasks.finish_ns[row] = 0;
  builder_.application().ended = false;
  EXPECT_EQ(ProfileOf(builder_.application()).time_at_ns[1], ApplicationBuilder::Nanos(10));
  // Its end was lost.
  builder_.application().ended = true;
  builder_.application().stages[0].end_ns = ApplicationBuilder::Time(93);
  EXPECT_EQ(ProfileOf(builder_.application()).time_at_ns[1], ApplicationBuilder::Nanos(3));
}

TEST_F(ConcurrencyTest, AnApplicationWithoutTasksHasOnlyTimeWithoutTasks) {
  const ConcurrencyProfile profile = ProfileOf(builder_.application());
  EXPECT_EQ(profile.time_at_ns, std::vector<int64_t>{ApplicationBuilder::kDuration});
  EXPECT_EQ(ProfileOf(Application()).time_at_ns, std::vector<int64_t>{0});
}

}  // namespace
}  // namespace sparkprof
