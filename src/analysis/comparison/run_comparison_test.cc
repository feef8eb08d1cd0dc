// SPDX-License-Identifier: Apache-2.0
#include "analysis/comparison/run_comparison.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "analysis/testing/application_builder.h"

namespace sparkprof {
namespace {

using Causes = std::vector<std::string>;

// One stage of two tasks of `seconds` each that read `bytes`.
Application MakeRun(const std::string& stage_name, double seconds, int64_t bytes, double cpu_seconds) {
  ApplicationBuilder builder;
  const int32_t executor = builder.AddExecutor("1", 2);
  const int32_t stage = builder.AddStage(0, 0, 0, stage_name);
  for (const int64_t task : {0, 1}) {
    const size_t row = builder.AddTask(task, stage, executor, 10, 10 + seconds, cpu_seconds);
    builder.application().tasks.Column(TaskMetric::kInputBytes)[row] = bytes;
  }
  Application application = std::move(builder.application());
  application.stages[0].submit_ns = ApplicationBuilder::Time(10);
  application.stages[0].end_ns = ApplicationBuilder::Time(10 + seconds);
  application.end_ns = ApplicationBuilder::Time(20 + seconds);
  application.environment = {{"Spark", {{"spark.sql.shuffle.partitions", "200"}, {"spark.app.id", "a"}}}};
  return application;
}

TEST(RunComparisonTest, MoreDataIsTheCause) {
  const RunComparison comparison =
      CompareRuns(MakeRun("count at job.py:12", 10, 1 << 30, 5), MakeRun("count at job.py:12", 20, 2 << 29, 5));
  ASSERT_EQ(comparison.stages.size(), 1U);
  EXPECT_EQ(comparison.stages[0].Change(), 10 * kNanosPerSecond);
  EXPECT_EQ(comparison.stages[0].causes, Causes()) << "the same data and CPU time";
  EXPECT_NEAR(comparison.Change(), 1.0 / 3, 1e-9);
  const RunComparison with_data = CompareRuns(MakeRun("count at job.py:12", 10, int64_t{1} << 30, 5),
                                              MakeRun("count at job.py:12", 20, int64_t{1} << 31, 10));
  ASSERT_EQ(with_data.stages[0].causes.size(), 1U);
  EXPECT_TRUE(with_data.stages[0].causes[0].starts_with("Data: reads 4.0 GiB (2x), 2.0 GiB before"))
      << with_data.stages[0].causes[0];
}

TEST(RunComparisonTest, MoreCpuTimeForTheSameDataIsCodeOrMachine) {
  const RunComparison comparison =
      CompareRuns(MakeRun("count at job.py:12", 10, 1000, 5), MakeRun("count at job.py:12", 20, 1000, 15));
  ASSERT_EQ(comparison.stages[0].causes.size(), 1U);
  EXPECT_TRUE(comparison.stages[0].causes[0].starts_with("Code or machine: 30.0 s CPU time (3x)"))
      << comparison.stages[0].causes[0];
}

TEST(RunComparisonTest, AMovedLineIsTheSameStage) {
  const RunComparison comparison =
      CompareRuns(MakeRun("count at job.py:12", 10, 1000, 5), MakeRun("count at job.py:14", 10, 1000, 5));
  ASSERT_EQ(comparison.stages.size(), 1U);
  EXPECT_EQ(comparison.stages[0].before_ids, std::vector<int64_t>{0});
  EXPECT_EQ(comparison.stages[0].after_ids, std::vector<int64_t>{0});
}

TEST(RunComparisonTest, AStageOfOneRunIsNamed) {
  const RunComparison comparison =
      CompareRuns(MakeRun("count at job.py:12", 10, 1000, 5), MakeRun("collect at job.py:40", 10, 1000, 5));
  ASSERT_EQ(comparison.stages.size(), 2U);
  EXPECT_EQ(comparison.stages[0].causes, Causes{"Only in the earlier run"});
  EXPECT_EQ(comparison.stages[1].causes, Causes{"Only in the later run"});
}

TEST(RunComparisonTest, OtherWorkOfTheSameLineReplacesAStage) {
  const RunComparison comparison =
      CompareRuns(MakeRun("groupByKey at job.py:12", 10, 1000, 5), MakeRun("reduceByKey at job.py:12", 4, 1000, 2));
  ASSERT_EQ(comparison.stages.size(), 1U);
  EXPECT_EQ(comparison.stages[0].name, "reduceByKey at job.py:12 instead of groupByKey at job.py:12");
  EXPECT_EQ(comparison.stages[0].Change(), -6 * kNanosPerSecond);
}

TEST(RunComparisonTest, AStageWithoutALineOfTheProgramIsNamedByItsWork) {
  Application run = MakeRun("parquet at NativeMethodAccessorImpl.java:0", 10, 1000, 5);
  run.stages[0].sql_execution = 1;
  SqlExecution& query = run.sql_executions.emplace_back();
  query.id = 1;
  query.plan.name = "Scan csv sales";
  query.plan.stages = {0};
  EXPECT_EQ(CompareRuns(run, run).stages[0].name, "scan sales, parquet");
}

TEST(RunComparisonTest, SettingsThatDifferBetweenAnyTwoRunsAreLeftOut) {
  const Application before = MakeRun("count at job.py:12", 10, 1000, 5);
  Application after = before;
  after.environment = {{"Spark",
                        {{"spark.sql.shuffle.partitions", "20"},
                         {"spark.app.id", "b"},
                         {"spark.x", "1"},
                         {"spark.plugins", "org.sparkprof.SparkProfPlugin"},
                         {"spark.plugins.internal.conf.org.sparkprof.SparkProfPlugin.dir", "/tmp/b"},
                         {"spark.sparkprof.nodeDir", "/tmp/b"},
                         {"spark.python.daemon.module", "sparkprof_python_12"}}}};
  const RunComparison comparison = CompareRuns(before, after);
  ASSERT_EQ(comparison.settings.size(), 2U);
  EXPECT_EQ(comparison.settings[0].name, "spark.sql.shuffle.partitions");
  EXPECT_EQ(comparison.settings[0].after, "20");
  EXPECT_EQ(comparison.settings[1].before, "");
}

}  // namespace
}  // namespace sparkprof
