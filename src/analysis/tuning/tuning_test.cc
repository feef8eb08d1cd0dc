// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuning/tuning.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "analysis/testing/application_builder.h"

namespace sparkprof {
namespace {

constexpr int64_t kMebibyte = int64_t{1} << 20;

// Four executors of two cores and 8 GiB; one stage of eight tasks of 90 s.
class TuningTest : public testing::Test, protected ApplicationBuilder {
 protected:
  TuningTest() {
    application().master = "yarn";
    Set("spark.executor.memory", "8g");
    for (const char* const id : {"1", "2", "3", "4"}) AddExecutor(id, 2);
    AddJob(0, {0});
    AddStage(0, 0, 0);
    application().stages[0].submit_ns = kStart;
    for (int i = 0; i < 8; ++i) AddTask(i, 0, i / 2, 1, 91, 80);
    HeapHeld(2000);
  }

  void Set(const std::string& name, const std::string& value) {
    if (application().environment.empty()) application().environment.push_back({"Spark", {}});
    application().environment[0].second.emplace_back(name, value);
  }

  void HeapHeld(int64_t mebibytes) {
    for (Executor& executor : application().executors)
      executor.peak_metrics = {{"JVMHeapMemory", mebibytes * kMebibyte}};
  }

  Tuning Tuned(TuningGoal goal = TuningGoal::kCost) { return Tune({{&application(), &answers_}}, goal); }

  static std::map<std::string, std::string> Values(const Tuning& tuning) {
    std::map<std::string, std::string> values;
    for (const TunedSetting& one : tuning.settings) values[one.key] = one.value;
    return values;
  }

  Answers answers_;
};

TEST_F(TuningTest, AHeapIsSizedByItsPeakWithAMargin) {
  const Tuning tuning = Tuned();
  EXPECT_EQ(Values(tuning), (std::map<std::string, std::string>{{"spark.executor.memory", "2816m"}}));
  EXPECT_EQ(tuning.settings[0].was, "8g");
  EXPECT_NEAR(tuning.recorded.gb_hours, 4 * (8 + 0.8) * 100 / 3600, 0.01);
  EXPECT_LT(tuning.gb_hours.high, 0.5 * tuning.recorded.gb_hours);
  EXPECT_LE(tuning.duration_ns.high, 1.021 * static_cast<double>(kDuration));
}

TEST_F(TuningTest, AHeapThatIsUsedStays) {
  HeapHeld(7000);
  EXPECT_TRUE(Tuned().settings.empty());
}

TEST_F(TuningTest, AnUnknownPeakChangesNothing) {
  for (Executor& executor : application().executors) executor.peak_metrics.clear();
  EXPECT_TRUE(Tuned().settings.empty());
}

TEST_F(TuningTest, AFullHeapThatIsCollectedOftenGrows) {
  HeapHeld(8000);
  for (size_t row = 0; row < application().tasks.Size(); ++row)
    application().tasks.Column(TaskMetric::kGcTime)[row] = Nanos(30);
  EXPECT_EQ(Values(Tuned()), (std::map<std::string, std::string>{{"spark.executor.memory", "12g"}}));
}

TEST_F(TuningTest, ALocalJobHasTheMemoryOfItsDriver) {
  application().master = "local[2]";
  application().executors.resize(1);
  for (int32_t& executor : application().tasks.executor) executor = 0;
  application().executors[0].id = "driver";
  Set("spark.driver.memory", "4g");
  application().executors[0].peak_metrics = {{"JVMHeapMemory", 1000 * kMebibyte}};
  EXPECT_EQ(Values(Tuned()), (std::map<std::string, std::string>{{"spark.driver.memory", "1536m"}}));
}

TEST_F(TuningTest, ALocalClusterHasExecutors) {
  HeapHeld(3000);
  application().master = "local-cluster[4,4,8192]";
  EXPECT_EQ(Values(Tuned()).count("spark.executor.memory"), 1U);
  EXPECT_EQ(Values(Tuned()).count("spark.driver.memory"), 0U);
}

TEST_F(TuningTest, MemoryBesideTheHeapIsOverhead) {
  application().executors[0].peak_metrics = {{"ProcessTreeJVMRSSMemory", 8192 * kMebibyte},
                                             {"ProcessTreePythonRSSMemory", 2000 * kMebibyte}};
  EXPECT_EQ(Values(Tuned()).at("spark.executor.memoryOverhead"), "2560m");
}

TEST_F(TuningTest, ExecutorsThatDoNotMakeItFasterGo) {
  HeapHeld(7000);
  // One task takes nearly all the time, so that one executor is as fast.
  Tasks& tasks = application().tasks;
  for (size_t row = 1; row < tasks.Size(); ++row) {
    tasks.finish_ns[row] = Time(5);
    tasks.Column(TaskMetric::kDuration)[row] = tasks.Column(TaskMetric::kExecutorRunTime)[row] = Nanos(4);
  }
  const Tuning tuning = Tuned();
  ASSERT_TRUE(Values(tuning).contains("spark.executor.instances"));
  EXPECT_LT(std::stoi(Values(tuning).at("spark.executor.instances")), 4);
  EXPECT_LT(tuning.gb_hours.high, tuning.recorded.gb_hours);
  EXPECT_TRUE(Tuned(TuningGoal::kTime).settings.empty()) << "more would not help either";
}

TEST_F(TuningTest, SettingsInTheAdviceOfFindingsAreTakenWithTheirSavings) {
  HeapHeld(7000);
  Finding& finding = answers_.findings.emplace_back();
  finding.rule = "broadcastable-join";
  finding.title = "A join could broadcast a small side";
  finding.change = "Set spark.sql.autoBroadcastJoinThreshold=64m, or use the hint broadcast";
  finding.saving = {Nanos(14), Nanos(20), Nanos(26)};
  const Tuning tuning = Tuned();
  ASSERT_EQ(tuning.settings.size(), 1U);
  EXPECT_EQ(tuning.settings[0].key, "spark.sql.autoBroadcastJoinThreshold");
  EXPECT_EQ(tuning.settings[0].value, "64m");
  EXPECT_EQ(tuning.settings[0].why, "A join could broadcast a small side");
  EXPECT_NEAR(tuning.duration_ns.low, static_cast<double>(kDuration - Nanos(26)), 1e6);
  EXPECT_NEAR(tuning.duration_ns.high, static_cast<double>(kDuration - Nanos(14)), 1e6);
}

TEST_F(TuningTest, ASettingOfTheProgramsCodeMustChangeThere) {
  HeapHeld(7000);
  application().sql_executions.push_back({.id = 0, .settings = {{"spark.sql.shuffle.partitions", "2"}}});
  answers_.findings.emplace_back().change = "Set spark.sql.shuffle.partitions=64";
  const Tuning tuning = Tuned();
  ASSERT_EQ(tuning.settings.size(), 1U);
  EXPECT_EQ(tuning.settings[0].was, "2");
  EXPECT_NE(tuning.settings[0].why.find("in its code"), std::string::npos);
}

TEST_F(TuningTest, AStandaloneMasterCountsCores) {
  HeapHeld(7000);
  application().master = "spark://host:7077";
  Tasks& tasks = application().tasks;
  for (size_t row = 1; row < tasks.Size(); ++row) {
    tasks.finish_ns[row] = Time(5);
    tasks.Column(TaskMetric::kDuration)[row] = tasks.Column(TaskMetric::kExecutorRunTime)[row] = Nanos(4);
  }
  const std::map<std::string, std::string> values = Values(Tuned());
  ASSERT_TRUE(values.contains("spark.cores.max"));
  EXPECT_EQ(std::stoi(values.at("spark.cores.max")) % 2, 0) << "executors have two cores";
  EXPECT_FALSE(values.contains("spark.executor.instances"));
}

TEST_F(TuningTest, AHeapFullOfGarbageShrinksToItsLiveData) {
  HeapHeld(7000);
  EXPECT_TRUE(Tuned().settings.empty());
  for (int32_t executor = 0; executor < 4; ++executor) {
    ApplicationSeries& series = application().series.emplace_back();
    series.name = "jvm.heap_used_bytes";
    series.executor = executor;
    for (int i = 0; i < 12; ++i)
      series.points.push_back({Time(1 + i), static_cast<double>((i % 3 == 0 ? 600 : 3000) * kMebibyte)});
  }
  const Tuning tuning = Tuned();
  EXPECT_EQ(Values(tuning).at("spark.executor.memory"), "1536m");
  EXPECT_NE(tuning.settings[0].why.find("collections left at most 600"), std::string::npos);
  // A tenth of the time in collections would become a third.
  for (size_t row = 0; row < application().tasks.Size(); ++row)
    application().tasks.Column(TaskMetric::kGcTime)[row] = Nanos(4);
  EXPECT_EQ(Values(Tuned()).at("spark.executor.memory"), "5888m");
}

TEST_F(TuningTest, OfManyRunsTheRarestLargeOneDoesNotCount) {
  std::vector<Application> applications(30, application());
  applications[7].executors[0].peak_metrics = {{"JVMHeapMemory", 7900 * kMebibyte}};
  std::vector<TunedRun> runs;
  for (const Application& one : applications) runs.push_back({&one, &answers_});
  EXPECT_EQ(Values(Tune(runs, TuningGoal::kCost)).at("spark.executor.memory"), "2816m");
}

TEST_F(TuningTest, OfSeveralRunsTheLargestUseCounts) {
  const Application small = application();
  HeapHeld(5000);
  const Application large = application();
  const Tuning tuning = Tune({{&small, &answers_}, {&large, &answers_}}, TuningGoal::kCost);
  EXPECT_EQ(Values(tuning).at("spark.executor.memory"), "6656m");
  EXPECT_NE(tuning.settings[0].why.find("in 2 runs"), std::string::npos);
}

}  // namespace
}  // namespace sparkprof
