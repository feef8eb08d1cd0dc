// SPDX-License-Identifier: Apache-2.0
#include "analysis/comparison/shared_cpus.h"

#include <gtest/gtest.h>

#include "analysis/testing/application_builder.h"

namespace sparkprof {
namespace {

// local[2] on two CPUs: two tasks at once take 10 s each and `cpu_seconds` of CPU time together, and the compiler takes
// `compiler_seconds` meanwhile.
Application TwoTasks(int64_t cpu_seconds, int64_t compiler_seconds) {
  ApplicationBuilder builder;
  const int32_t driver = builder.AddExecutor("driver", 2);
  const int32_t stage = builder.AddStage(0, 0, 0);
  builder.AddTask(0, stage, driver, 0, 10);
  builder.AddTask(1, stage, driver, 0, 10);
  const uint32_t worker = builder.AddThread(1, "Executor task launch worker for task 0.0", driver);
  const uint32_t compiler = builder.AddThread(2, "C2 CompilerThre", driver);
  builder.AddSample(Event::kCpu, 0, worker, 0, 0, cpu_seconds * kNanosPerSecond);
  for (int64_t second = 0; second < 10; ++second)
    builder.AddSample(Event::kCpu, second, compiler, kNoTask, 0, compiler_seconds * kNanosPerSecond / 10);
  builder.application().master = "local[2]";
  builder.application().series.push_back(
      {"process.allowed_cpus", driver, -1, SeriesKind::kGauge, {{ApplicationBuilder::kStart, 2}}});
  return builder.application();
}

double Factor(const Application& application, int64_t cores) {
  return SharedCpus(application)
      .Factor({0, ApplicationBuilder::kStart, ApplicationBuilder::Time(10), 20 * kNanosPerSecond, 2}, cores);
}

TEST(SharedCpusTest, OneTaskBesideTheCompilerDoesNotWait) { EXPECT_DOUBLE_EQ(Factor(TwoTasks(10, 10), 1), 0.5); }

TEST(SharedCpusTest, TasksThatSleepSleepAsLongBesideOthers) {
  EXPECT_DOUBLE_EQ(Factor(TwoTasks(2, 3), 1), 1);
  EXPECT_DOUBLE_EQ(Factor(TwoTasks(2, 3), 2), 1);
}

TEST(SharedCpusTest, TasksThatHaveTheCpusForThemselvesKeepTheirTime) {
  EXPECT_DOUBLE_EQ(Factor(TwoTasks(20, 0), 1), 1);
  EXPECT_DOUBLE_EQ(Factor(TwoTasks(20, 0), 2), 1);
}

TEST(SharedCpusTest, WithoutTheNumberOfCpusNothingIsKnown) {
  Application application = TwoTasks(10, 10);
  application.series.clear();
  EXPECT_DOUBLE_EQ(Factor(application, 1), 1);
}

TEST(SharedCpusTest, ExecutorsOfAClusterDoNotShareWithTheDriver) {
  Application application = TwoTasks(10, 10);
  application.master = "spark://host:7077";
  EXPECT_DOUBLE_EQ(Factor(application, 1), 1);
}

}  // namespace
}  // namespace sparkprof
