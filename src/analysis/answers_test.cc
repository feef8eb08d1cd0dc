// SPDX-License-Identifier: Apache-2.0
#include "analysis/answers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "analysis/machines/series.h"
#include "analysis/summary.h"
#include "analysis/testing/application_builder.h"
#include "analysis/testing/python_application.h"
#include "analysis/time/timeline.h"

namespace sparkprof {
namespace {

bool HasLine(const Answers& answers, std::string_view part) {
  for (const std::string& line : answers.lines) {
    if (line.find(part) != std::string::npos) return true;
  }
  return false;
}

TEST(SummaryTest, TopFramesAreThoseOfTheJvmAndOfPython) {
  PythonApplication made;
  made.AddJvm(Event::kCpu, 2, made.run(), 10'000'000, PythonState::kUnknown);
  made.AddPython(Event::kCpu, 3, made.score(), 30'000'000, ThreadState::kRunning);
  made.AddPython(Event::kWall, 3, made.load(), 900'000'000, ThreadState::kSleeping);
  const Answers answers = Answer(made.application());
  EXPECT_TRUE(HasLine(answers, "score (job.py) 75.0% · Job.map 25.0% (of the CPU time of tasks)"));
}

TEST(SummaryTest, TheOverheadHasAllPartsThatCanBeMeasured) {
  Application application;
  const auto add = [&](const std::string& name, int64_t cpu_ns) {
    application.series.push_back({.name = name, .points = {{1'000, static_cast<double>(cpu_ns)}}});
  };
  add("process.cpu_ns", 100'000'000'000);
  add("agent.cpu_ns", 700'000'000);
  add("plugin.cpu_ns", 200'000'000);
  add("thread.sparkprof-sessi.cpu_ns", 500'000'000);
  add("thread.sparkpr..events.cpu_ns", 200'000'000);
  add("thread.Executor task l.cpu_ns", 50'000'000'000);
  add("run.cpu_ns", 300'000'000);
  add("sampler.cpu_ns", 400'000'000);
  const ProfilingCost cost = CostOf(application);
  EXPECT_EQ(cost.plugin_ns, 900'000'000);
  EXPECT_EQ(cost.Sum(), 2'300'000'000);
  EXPECT_TRUE(HasLine(Answer(application),
                      "700 ms in the agent, 900 ms in the plugin, 300 ms in sparkprof run, about 400 ms "
                      "for samples: 2.3% of"));
}

TEST(StageSummaryTest, QuantilesAreThoseOfSortedValues) {
  for (int64_t size = 1; size <= 40; ++size) {
    std::vector<int64_t> values;
    for (int64_t i = 0; i < size; ++i) values.push_back(i * 7919 % 41 / 2);
    const Quantiles of = QuantilesOf(values);
    std::sort(values.begin(), values.end());
    const auto rank = [&](int64_t quarter) { return values[static_cast<size_t>((size - 1) * quarter / 4)]; };
    EXPECT_EQ((std::vector{of.min, of.p25, of.p50, of.p75, of.max}),
              (std::vector{values.front(), rank(1), rank(2), rank(3), values.back()}))
        << size;
  }
}

TEST(StageSummaryTest, QuantilesAreValuesThatOccur) {
  const Quantiles of = QuantilesOf({5, 1, 4, 2, 3});
  EXPECT_EQ(of.min, 1);
  EXPECT_EQ(of.p25, 2);
  EXPECT_EQ(of.p50, 3);
  EXPECT_EQ(of.p75, 4);
  EXPECT_EQ(of.max, 5);
  EXPECT_EQ(QuantilesOf({}).max, 0);
  EXPECT_EQ(QuantilesOf({9}).p25, 9);
}

TEST(StageSummaryTest, AddsUpMetricsAndSamplesOfItsTasks) {
  const Application application = ExampleApplication();
  const Answers answers = Answer(application);
  EXPECT_EQ(answers.stages[0].tasks.size(), 2u);
  EXPECT_EQ(answers.stages[0].Total(TaskMetric::kExecutorCpuTime), ApplicationBuilder::Nanos(6));
  EXPECT_EQ(answers.stages[0].Of(TaskMetric::kDuration).max, ApplicationBuilder::Nanos(8));
  EXPECT_EQ(answers.stages[0].cpu_samples_ns, 7'000);
  EXPECT_EQ(answers.stages[1].wall_samples_ns, 9'000);
  EXPECT_EQ(answers.stages[2].cpu_samples_ns, 16'000);
}

TEST(TimelineTest, ConcurrencyStepsWithBeginsAndEnds) {
  const auto concurrency = ConcurrencyOf(ExampleApplication());
  ASSERT_EQ(concurrency.size(), 2u);
  EXPECT_TRUE(concurrency[0].empty());
  EXPECT_EQ(Peak(concurrency[1]), 2);
  EXPECT_EQ(concurrency[1].front().running, 2);
  EXPECT_EQ(concurrency[1].back().running, 0);
  EXPECT_EQ(concurrency[1].back().time_ns, ApplicationBuilder::Time(50));
}

TEST(TimeSpentTest, PartsAddUpToTheCoreTime) {
  const TimeSpent spent = Answer(ExampleApplication()).time_spent;
  EXPECT_EQ(spent.core_time_ns, 2 * ApplicationBuilder::kDuration);
  int64_t sum = 0;
  for (const TimePart& part : spent.parts) sum += part.ns;
  EXPECT_EQ(sum, spent.core_time_ns);
  EXPECT_EQ(spent.parts.front().name, "JVM CPU");
  EXPECT_EQ(spent.parts.front().ns, ApplicationBuilder::Nanos(22));
  EXPECT_EQ(spent.parts.back().name, "Idle cores");
  EXPECT_EQ(spent.parts.back().ns, ApplicationBuilder::Nanos(200 - 42));
}

TEST(TimeSpentTest, ATaskThatNeverReportedIsSplitByItsSamples) {
  ApplicationBuilder builder;
  const size_t task = builder.AddTask(1, builder.AddStage(0, 0, 0), builder.AddExecutor("1", 1), 0, 100);
  Tasks& tasks = builder.application().tasks;
  tasks.finish_ns[task] = 0;
  tasks.outcome[task] = TaskOutcome::kRunning;
  tasks.Column(TaskMetric::kExecutorRunTime)[task] = 0;
  tasks.Column(TaskMetric::kCpuSamples)[task] = ApplicationBuilder::Nanos(60);
  const TimeSpent spent = Answer(builder.application()).time_spent;
  EXPECT_EQ(spent.parts.front().ns, ApplicationBuilder::Nanos(60));
  EXPECT_TRUE(spent.parts.front().estimate);
}

TEST(SeriesMathTest, ACounterBeginsAtZeroAndMayBeginAgain) {
  ApplicationSeries series;
  series.points = {{1, 10}, {2, 15}, {3, 4}};
  EXPECT_EQ(Growth(series), 19);
}

TEST(SummaryTest, SaysWhatRanAndHowCompleteThatIs) {
  const Answers answers = Answer(ExampleApplication());
  EXPECT_TRUE(HasLine(answers, "example · app-1 · Spark 4.1.1 · 100.0 s"));
  EXPECT_TRUE(HasLine(answers, "2 jobs, 3 stages, 4 tasks"));
  EXPECT_TRUE(HasLine(answers, "1.1 count at Job.scala:12 16 us"));
  EXPECT_TRUE(HasLine(answers, "31 attributed to their task (100.0%), 0 not; 2 lost"));
  EXPECT_LE(answers.lines.size(), 12u);
}

TEST(SummaryTest, AnApplicationWithoutAnythingStillHasASummary) {
  const Answers answers = Answer(Application());
  EXPECT_FALSE(answers.lines.empty());
  EXPECT_TRUE(answers.findings.empty());
}

}  // namespace
}  // namespace sparkprof
