// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/time.h"
#include "model/application_times.h"

namespace sparkprof {
namespace {

constexpr int64_t kIn2019 = 1'551'434'400 * kNanosPerSecond;
constexpr int64_t kIn2023 = 1'677'664'800 * kNanosPerSecond;

void AddTask(int64_t id, int64_t launch_ns, int64_t finish_ns, Application* application) {
  Tasks& tasks = application->tasks;
  const size_t row = tasks.Append(id);
  tasks.launch_ns[row] = launch_ns;
  tasks.finish_ns[row] = finish_ns;
  tasks.Column(TaskMetric::kDuration)[row] = finish_ns - launch_ns;
  tasks.Column(TaskMetric::kExecutorRunTime)[row] = kNanosPerSecond;
}

Application Nightly() {
  Application application;
  application.start_ns = kIn2023;
  application.end_ns = kIn2023 + 60 * kNanosPerSecond;
  application.ended = true;
  for (int64_t i = 0; i < 3; ++i) {
    const int64_t launch_ns = kIn2023 + i * kNanosPerSecond;
    AddTask(i, launch_ns, launch_ns + kNanosPerSecond, &application);
  }
  return application;
}

TEST(ClockGroupsTest, TimesThatFitTogetherAreLeftAlone) {
  Application application = Nightly();
  EXPECT_FALSE(KeepLargestClockGroup(&application));
  EXPECT_TRUE(application.notices.empty());
}

TEST(ClockGroupsTest, AStartOfAnotherYearDoesNotCount) {
  Application application = Nightly();
  application.start_ns = kIn2019;
  BoundTimes(&application);
  EXPECT_EQ(application.start_ns, kIn2023);
  ASSERT_EQ(application.notices.size(), 1u);
  EXPECT_NE(application.notices[0].notice.text.find("do not fit together"), std::string::npos);
  EXPECT_NE(application.notices[0].notice.text.find("2019-03-01"), std::string::npos);
}

TEST(ClockGroupsTest, TheGroupWithTheMostTasksIsKept) {
  Application application = Nightly();
  application.ended = false;
  application.start_ns = application.end_ns = 0;
  AddTask(3, kIn2019, kIn2019 + kNanosPerSecond, &application);
  AddTask(4, kIn2019, kIn2023 + 2 * kNanosPerSecond, &application);  // its start is wrong
  BoundTimes(&application);
  const Tasks& tasks = application.tasks;
  EXPECT_EQ(tasks.launch_ns[4], kIn2023 + kNanosPerSecond);
  EXPECT_EQ(tasks.Column(TaskMetric::kDuration)[4], kNanosPerSecond);
  EXPECT_GE(tasks.launch_ns[3], kIn2023);
  ASSERT_EQ(application.notices.size(), 1u);
  EXPECT_NE(application.notices[0].notice.text.find("2 tasks outside"), std::string::npos);
}

TEST(ClockGroupsTest, ClocksThatDifferByHoursAreReported) {
  Application application = Nightly();
  AddTask(3, kIn2023 + 5 * 3600 * kNanosPerSecond, kIn2023 + 5 * 3601 * kNanosPerSecond, &application);
  BoundTimes(&application);
  ASSERT_EQ(application.notices.size(), 1u);
  EXPECT_NE(application.notices[0].notice.text.find("1 task has times outside"), std::string::npos);
}

TEST(ClockGroupsTest, LogLinesOfAnotherYearAreReported) {
  Application application = Nightly();
  application.logs.time_ns = {kIn2023, kIn2019, kIn2019, 0};
  BoundTimes(&application);
  ASSERT_EQ(application.notices.size(), 1u);
  EXPECT_NE(application.notices[0].notice.text.find("2019-03-01T10:00:00.000Z (0 tasks)"), std::string::npos);
}

TEST(ClockGroupsTest, ALongPauseWithLogLinesIsNoProblem) {
  Application application = Nightly();
  constexpr int64_t kDays = 20 * 86'400 * kNanosPerSecond;
  application.logs.time_ns = {kIn2023 + kDays, kIn2023 + 2 * kDays};
  application.end_ns = kIn2023 + 3 * kDays;
  EXPECT_FALSE(KeepLargestClockGroup(&application));
}

}  // namespace
}  // namespace sparkprof
