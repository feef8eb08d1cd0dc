// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "recording/application_builder.h"

namespace sparkprof {
namespace {

// `executors` executors that ran a task each, and a driver that ran none.
Application ApplicationWith(int executors, const std::string& fraction) {
  Application application;
  application.complete = true;
  application.executors.emplace_back().id = "driver";
  for (int i = 1; i <= executors; ++i) {
    application.executors.emplace_back().id = fmt::format("{}", i);
    application.tasks.executor[application.tasks.Append(i)] = i;
  }
  application.executors.emplace_back().id = "idle";
  if (!fraction.empty()) application.settings.push_back({kExecutorFraction, fraction});
  return application;
}

TEST(MissingExecutorsTest, AnExecutorThatRanTasksAndLeftNothingIsALoss) {
  Application application = ApplicationWith(3, "1");
  NoteMissingExecutors({"driver", "2"}, &application);
  EXPECT_FALSE(application.complete);
  ASSERT_EQ(application.losses.size(), 1u);
  EXPECT_EQ(application.losses[0].what, "executors");
  EXPECT_EQ(application.losses[0].count, 2);
  ASSERT_EQ(application.notices.size(), 1u);
  EXPECT_EQ(application.notices[0].notice.level, NoticeLevel::kWarning);
  EXPECT_TRUE(application.notices[0].notice.text.starts_with("Executors 1, 3 ran tasks"));
}

TEST(MissingExecutorsTest, NothingIsMissingWhenEveryExecutorWithTasksIsRecorded) {
  Application application = ApplicationWith(2, "1");
  NoteMissingExecutors({"driver", "1", "2"}, &application);
  EXPECT_TRUE(application.complete);
  EXPECT_TRUE(application.losses.empty());
  EXPECT_TRUE(application.notices.empty());
}

TEST(MissingExecutorsTest, ExecutorsThatWereNotToBeProfiledAreNotMissing) {
  for (const char* fraction : {"0", "0.5", ""}) {
    Application application = ApplicationWith(2, fraction);
    NoteMissingExecutors({"driver"}, &application);
    EXPECT_TRUE(application.complete) << fraction;
    EXPECT_TRUE(application.losses.empty()) << fraction;
  }
}

TEST(MissingExecutorsTest, ADriverThatLeftNothingIsALoss) {
  Application application = ApplicationWith(1, "0.5");
  NoteMissingExecutors({"1"}, &application);
  EXPECT_FALSE(application.complete);
  ASSERT_EQ(application.losses.size(), 1u);
  EXPECT_EQ(application.losses[0].what, "drivers");
}

TEST(MissingExecutorsTest, TheTasksOfLocalModeRanInTheDriver) {
  Application application = ApplicationWith(0, "1");
  application.tasks.executor[application.tasks.Append(1)] = 0;
  NoteMissingExecutors({"driver"}, &application);
  EXPECT_TRUE(application.complete);
}

TEST(MissingExecutorsTest, TheNoticeNamesTenAtMost) {
  Application application = ApplicationWith(12, "1");
  NoteMissingExecutors({"driver"}, &application);
  EXPECT_EQ(application.losses.at(0).count, 12);
  EXPECT_NE(application.notices.at(0).notice.text.find("9, 10 and 2 more ran tasks"), std::string::npos);
}

constexpr int64_t kSecond = 1'000'000'000;

TEST(UnsentEndsTest, WhatALostExecutorDidNotSendIsCounted) {
  Application application = ApplicationWith(3, "1");
  application.executors[1].remove_ns = 100 * kSecond;
  application.executors[2].remove_ns = 50 * kSecond;
  NoteUnsentEnds({{1, 93 * kSecond}, {2, 49 * kSecond + 1}, {3, 20 * kSecond}}, &application);
  EXPECT_FALSE(application.complete);
  ASSERT_EQ(application.losses.size(), 1u);
  EXPECT_EQ(application.losses[0].what, "profiling_ms");
  EXPECT_EQ(application.losses[0].count, 7'000);
  ASSERT_EQ(application.notices.size(), 1u);
  EXPECT_TRUE(application.notices[0].notice.text.starts_with("Executor 1: the last 7"))
      << application.notices[0].notice.text;
}

TEST(UnsentEndsTest, AnEndedApplicationHasNoExecutorThatGoesOn) {
  Application application = ApplicationWith(2, "1");
  application.end_ns = 30 * kSecond;
  NoteUnsentEnds({{1, 20 * kSecond}, {2, 25 * kSecond}}, &application);
  EXPECT_TRUE(application.complete);
  application.ended = true;
  NoteUnsentEnds({{1, 20 * kSecond}, {2, 25 * kSecond}}, &application);
  EXPECT_FALSE(application.complete);
  EXPECT_EQ(application.losses.at(0).count, 15'000);
}

}  // namespace
}  // namespace sparkprof
