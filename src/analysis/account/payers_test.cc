// SPDX-License-Identifier: Apache-2.0
#include "analysis/account/payers.h"

#include <gtest/gtest.h>

#include "analysis/testing/application_builder.h"

namespace sparkprof {
namespace {

class PayersTest : public testing::Test {
 protected:
  PayersTest() : executor_(builder_.AddExecutor("1", 2)), stage_(builder_.AddStage(3, 0, 0, "collect at job.py:7")) {
    task_ = builder_.AddTask(0, stage_, executor_, 30, 40, 8);
    application().stages[0].sql_execution = 5;
    SqlExecution sql;
    sql.id = 5;
    sql.plan = {.name = "HashAggregate", .text = "HashAggregate(keys=[a#1], functions=[sum(b#2)])", .stages = {3}};
    sql.plan.metrics = {{"number of output rows", "sum", 1, true, 10}};
    PlanNode python{.name = "BatchEvalPython", .text = "BatchEvalPython [risk(a#1)#3]", .stages = {3}};
    python.metrics = {{"number of output rows", "sum", 2, true, 1000}};
    sql.plan.children = {std::move(python)};
    application().sql_executions = {std::move(sql)};
  }

  Application& application() { return builder_.application(); }

  std::string PayerOf(AccountPart part) {
    const std::vector<StageSummary> stages = SummarizeStages(application(), KindsOfStacks(application()));
    AccountEntry entry;
    entry.part = part;
    entry.stage = stage_;
    return Payers(application(), stages, {}).Of(entry);
  }

  ApplicationBuilder builder_;
  const int32_t executor_, stage_;
  size_t task_ = 0;
};

TEST_F(PayersTest, WithoutSamplesRowsThatBecomeObjectsPayForGarbageCollection) {
  EXPECT_EQ(PayerOf(AccountPart::kGc), "BatchEvalPython of query 5");
  application().sql_executions.clear();
  EXPECT_EQ(PayerOf(AccountPart::kGc), "");
}

TEST_F(PayersTest, WhoAllocatesBySamplesPaysForGarbageCollection) {
  const uint32_t thread = builder_.AddThread(200, "Executor task launch worker for task 0.0", executor_);
  builder_.AddSample(Event::kAlloc, 30, thread, 0, builder_.AddStack({"com.example.Job.parse"}), 500);
  builder_.AddSample(
      Event::kAlloc, 31, thread, 0,
      builder_.AddStack({"org.apache.spark.sql.execution.aggregate.TungstenAggregationIterator.processInputs"}), 400);
  EXPECT_EQ(PayerOf(AccountPart::kGc), "com.example.Job.parse");
  application().profile.samples.front().weight = 300;
  EXPECT_EQ(PayerOf(AccountPart::kGc), "HashAggregate of query 5");
}

TEST_F(PayersTest, CollectionsOfWhatLivesOnArePaidByTheHeap) {
  for (const auto& [name, ns] : {std::pair("jvm.gc_young_time_ns", 1e9), std::pair("jvm.gc_old_time_ns", 2e9)}) {
    application().series.push_back({.name = name,
                                    .executor = executor_,
                                    .points = {{ApplicationBuilder::Time(0), 0}, {ApplicationBuilder::Time(9), ns}}});
  }
  EXPECT_EQ(PayerOf(AccountPart::kGc), "a heap that is small for what it holds");
}

TEST_F(PayersTest, DeserializationIsPaidByTheStartOfExecutorsOrTheNumberOfTasks) {
  EXPECT_EQ(PayerOf(AccountPart::kDeserialization), "") << "tasks of ten seconds";
  application().tasks.Column(TaskMetric::kDuration)[task_] = 100 * kNanosPerMilli;
  EXPECT_EQ(PayerOf(AccountPart::kDeserialization), "number of tasks");
  EXPECT_EQ(PayerOf(AccountPart::kSchedulerDelay), "number of tasks");
  application().tasks.launch_ns[task_] = ApplicationBuilder::Time(2);
  EXPECT_EQ(PayerOf(AccountPart::kDeserialization), "start of executors");
}

TEST_F(PayersTest, ResultsArePaidByTheActionThatGetsThem) {
  EXPECT_EQ(PayerOf(AccountPart::kGettingResult), "collect at job.py:7");
  EXPECT_EQ(PayerOf(AccountPart::kSchedulerDelay), "");
  application().tasks.Column(TaskMetric::kResultSize)[task_] = 1 << 20;
  EXPECT_EQ(PayerOf(AccountPart::kSchedulerDelay), "collect at job.py:7");
}

TEST_F(PayersTest, SleepAndLocksArePaidByTheLineOfTheProgramThatWaits) {
  const uint32_t thread = builder_.AddThread(200, "Executor task launch worker for task 0.0", executor_);
  const StackId sleep =
      builder_.AddStack({builder_.AddFrame("com.example.Slacker.call"), builder_.AddFrame("java.lang.Thread.sleep")});
  builder_.AddSample(Event::kWall, 30, thread, 0, sleep, 500).state = ThreadState::kSleeping;
  builder_.AddSample(Event::kLock, 31, thread, 0, builder_.AddStack({"com.example.Job.locked"}), 400);
  EXPECT_EQ(PayerOf(AccountPart::kSleep), "com.example.Slacker.call");
  EXPECT_EQ(PayerOf(AccountPart::kLock), "com.example.Job.locked");
}

TEST_F(PayersTest, WaitsForTheDiskArePaidByTheOperatorThatSpills) {
  EXPECT_EQ(PayerOf(AccountPart::kOtherWait), "") << "nothing spilled";
  application().sql_executions[0].plan.metrics.push_back({"spill size", "size", 3, true, 1 << 30});
  EXPECT_EQ(PayerOf(AccountPart::kOtherWait), "spill of HashAggregate of query 5");
}

TEST_F(PayersTest, PythonIsPaidByItsFunctionAndIdleSlotsByTheShapeOfTheStage) {
  EXPECT_EQ(PayerOf(AccountPart::kPython), "BatchEvalPython of query 5");
  EXPECT_EQ(PayerOf(AccountPart::kWave), "one partition");
  EXPECT_EQ(PayerOf(AccountPart::kSkew), "task 0");
  EXPECT_EQ(PayerOf(AccountPart::kCpu), "") << "computing stands for itself";
}

}  // namespace
}  // namespace sparkprof
