// SPDX-License-Identifier: Apache-2.0
#include "analysis/plans/operator_costs.h"

#include <gtest/gtest.h>

#include "analysis/plans/work_names.h"
#include "analysis/selection/selection.h"
#include "analysis/testing/application_builder.h"

namespace sparkprof {
namespace {

constexpr int64_t kMilli = kNanosPerMilli;

PlanNode Node(std::string name, std::vector<PlanNode> children = {}, std::vector<int64_t> stages = {},
              std::string text = {}, std::vector<PlanMetric> metrics = {}) {
  if (text.empty()) text = name;
  return {std::move(name), std::move(text), std::move(metrics), std::move(stages), std::move(children)};
}

PlanMetric Metric(std::string name, std::string type, double value) {
  return {std::move(name), std::move(type), 1, true, value};
}

// Plan of a sort-merge join of two sorted inputs, with a Python function on top: nodes 0 to 22.
PlanNode JoinPlan() {
  const auto side = [](const std::string& codegen, int64_t write, double rows) {
    PlanNode scan = Node("Scan parquet db.sales", {}, {write});
    PlanNode exchange =
        Node("Exchange", {Node("WholeStageCodegen (1)", {Node("Filter", {Node("InputAdapter", {scan})})})}, {write, 9},
             "Exchange hashpartitioning", {Metric("fetch wait time", "timing", 3e6)});
    return Node("InputAdapter", {Node(codegen, {Node("Sort", {Node("InputAdapter", {exchange})}, {9}, "Sort [a]",
                                                     {Metric("sort time", "timing", rows * 1e6)})})});
  };
  PlanNode join =
      Node("SortMergeJoin", {side("WholeStageCodegen (2)", 1, 100), side("WholeStageCodegen (3)", 2, 200)}, {9});
  return Node("ArrowEvalPython",
              {Node("InputAdapter", {Node("WholeStageCodegen (4)", {Node("Project", {join}, {9})})})}, {9},
              "ArrowEvalPython [score(id#0)#1]");
}

constexpr std::string_view kGenerated =
    "org.apache.spark.sql.catalyst.expressions.GeneratedClass$GeneratedIteratorForCodegenStage";

class OperatorCostsTest : public testing::Test {
 protected:
  OperatorCostsTest() {
    const int32_t executor = builder_.AddExecutor("1", 2);
    thread_ = builder_.AddThread(100, "task", executor);
    for (const int64_t stage : {1, 2, 9}) {
      const int32_t row = builder_.AddStage(stage, 0, 0);
      builder_.application().stages.back().sql_execution = 5;
      builder_.AddTask(10 + stage, row, executor, 0, 10);
    }
    SqlExecution sql;
    sql.id = 5;
    sql.start_ns = ApplicationBuilder::kStart;
    sql.plan = JoinPlan();
    builder_.application().sql_executions.push_back(std::move(sql));
  }

  // CPU time of a stack in stage 9, ms.
  void Cpu(std::initializer_list<std::string_view> stack, int64_t millis, int64_t stage = 9) {
    builder_.AddSample(Event::kCpu, 1, thread_, 10 + stage, builder_.AddStack(stack), millis * kMilli);
  }

  static std::string Generated(int codegen, const std::string& method) {
    return std::string(kGenerated) + std::to_string(codegen) + "." + method;
  }

  int64_t CpuOf(int32_t node) {
    const OperatorCosts costs = CostOfOperators(builder_.application());
    for (size_t row = 0; row < costs.operators.size(); ++row) {
      if (costs.operators[row].one.node == node) return costs.costs[row].cpu_ns.value_or(-kMilli) / kMilli;
    }
    ADD_FAILURE() << "no node " << node;
    return -1;
  }

  ApplicationBuilder builder_;
  uint32_t thread_ = 0;
};

constexpr int32_t kPython = 0, kProject = 3, kJoin = 4, kLeftSort = 7, kLeftExchange = 9, kLeftFilter = 11,
                  kRightSort = 16, kRightExchange = 18;

TEST_F(OperatorCostsTest, TheInnermostCodeCounts) {
  const std::string join = Generated(4, "smj_findNextJoinRows_0");
  const std::string sort = Generated(3, "sort_addToSorter_0");
  Cpu({join}, 1);
  Cpu({join, "org.apache.spark.unsafe.types.UTF8String.compareTo"}, 2);
  Cpu({join, Generated(3, "processNext"), sort, "org.apache.spark.sql.execution.UnsafeExternalRowSorter.insertRow"}, 4);
  Cpu({join, Generated(3, "processNext"), sort, "org.apache.spark.sql.execution.ShuffledRowRDD.compute",
       "org.apache.spark.storage.ShuffleBlockFetcherIterator.next"},
      8);
  Cpu({join, Generated(2, "processNext"), "org.apache.spark.sql.execution.UnsafeExternalRowSorter$1.advanceNext"}, 16);
  EXPECT_EQ(CpuOf(kJoin), 3);
  EXPECT_EQ(CpuOf(kRightSort), 4);
  EXPECT_EQ(CpuOf(kRightExchange), 8);
  EXPECT_EQ(CpuOf(kLeftSort), 16);
  EXPECT_EQ(CpuOf(kLeftExchange), 0);
}

TEST_F(OperatorCostsTest, RowsThatAreHandedUpAreTheUpperOperators) {
  Cpu({Generated(4, "processNext"), Generated(4, "smj_doConsume_0"), Generated(4, "project_doConsume_0")}, 5);
  Cpu({Generated(4, "processNext")}, 7);  // in the method that they share
  EXPECT_EQ(CpuOf(kProject), 5);
  EXPECT_EQ(CpuOf(kJoin), 7);
}

TEST_F(OperatorCostsTest, TheStageTellsTheWriterOfAnExchange) {
  Cpu({"org.apache.spark.shuffle.sort.UnsafeShuffleWriter.write"}, 3, 1);
  Cpu({"org.apache.spark.shuffle.sort.UnsafeShuffleWriter.write", Generated(1, "processNext")}, 4, 1);
  EXPECT_EQ(CpuOf(kLeftExchange), 3);
  EXPECT_EQ(CpuOf(kRightExchange), 0);
  EXPECT_EQ(CpuOf(kLeftFilter), 4);
}

TEST_F(OperatorCostsTest, PythonFunctionsAreTheOperatorsThatCallThem) {
  const StackId worker =
      builder_.application().profile.stacks.Push(0, builder_.AddFrame("[python worker]", FrameKind::kSynthetic));
  const StackId function =
      builder_.application().profile.stacks.Push(worker, builder_.AddFrame("score", FrameKind::kPython, "job.py", 3));
  builder_.AddSample(Event::kCpu, 1, thread_, 19, function, 9 * kMilli);
  EXPECT_EQ(CpuOf(kPython), 9);
}

TEST_F(OperatorCostsTest, WaitingIsNotWhereThePythonWorkerRuns) {
  const StackId stack = builder_.AddStack({"org.apache.spark.sql.execution.python.ArrowPythonRunner.read"});
  for (const PythonState python : {PythonState::kRunning, PythonState::kWaiting}) {
    Sample& sample = builder_.AddSample(Event::kWall, 1, thread_, 19, stack, 6 * kMilli);
    sample.state = ThreadState::kSleeping;
    sample.python = python;
  }
  const OperatorCosts costs = CostOfOperators(builder_.application());
  EXPECT_EQ(costs.costs[0].wait_ns, 6 * kMilli);
  EXPECT_EQ(costs.costs[0].cpu_ns, std::nullopt);
}

TEST_F(OperatorCostsTest, MeasuredTimesStandBesideTheSamplesOfTheSameCode) {
  Cpu({Generated(3, "processNext"), "org.apache.spark.sql.execution.UnsafeExternalRowSorter.sort",
       "org.apache.spark.util.collection.unsafe.sort.UnsafeInMemorySorter.getSortedIterator"},
      190);
  Cpu({Generated(3, "processNext"), "org.apache.spark.sql.execution.UnsafeExternalRowSorter.insertRow"}, 50);
  const OperatorCosts costs = CostOfOperators(builder_.application());
  for (size_t row = 0; row < costs.operators.size(); ++row) {
    if (costs.operators[row].one.node != kRightSort) continue;
    ASSERT_EQ(costs.costs[row].measured.size(), 1u);
    EXPECT_EQ(costs.costs[row].measured[0].metric, "sort time");
    EXPECT_EQ(costs.costs[row].measured[0].metric_ns, 200 * kMilli);
    EXPECT_EQ(costs.costs[row].measured[0].sampled_ns, 190 * kMilli);
  }
}

TEST_F(OperatorCostsTest, ElapsedTimeIsNotCpuTime) {
  EXPECT_EQ(CpuOf(kLeftSort), -1);
  EXPECT_EQ(CpuOf(kJoin), -1);
  const OperatorCosts costs = CostOfOperators(builder_.application());
  for (size_t row = 0; row < costs.operators.size(); ++row) {
    EXPECT_EQ(costs.costs[row].cpu_ns, std::nullopt);
    const bool is_measured = costs.operators[row].one.kind == "Sort";
    EXPECT_EQ(costs.costs[row].elapsed_ns.has_value(), is_measured);
    if (costs.operators[row].one.node == kLeftSort) {
      EXPECT_EQ(costs.costs[row].elapsed_ns, 100 * kMilli);
    }
  }
  EXPECT_EQ(costs.cpu_ns, 0);
}

TEST_F(OperatorCostsTest, EnginesTimesAreTheirOwn) {
  SqlExecution sql;
  sql.id = 6;
  sql.plan = Node("GpuHashAggregate",
                  {Node("GpuScan parquet", {}, {9}, {},
                        {Metric("scan time", "timing", 61e10), Metric("GPU decode time", "nsTiming", 5e6)}),
                   Node("PhotonScan", {}, {9}, {}, {Metric("exclusive time", "nsTiming", 7e6)})},
                  {9}, {}, {Metric("op time", "nsTiming", 3e6), Metric("sort time", "nsTiming", 2e6)});
  builder_.application().sql_executions = {std::move(sql)};
  const std::vector<OperatorCost> costs = CostOfOperators(builder_.application()).costs;
  ASSERT_EQ(costs.size(), 3u);
  EXPECT_EQ(costs[0].gpu_ns, 3 * kMilli);
  EXPECT_EQ(costs[0].elapsed_ns, std::nullopt);  // the sort is part of the operator's time on the GPU
  EXPECT_EQ(costs[1].gpu_ns, 5 * kMilli);
  EXPECT_EQ(costs[1].elapsed_ns, 610'000 * kMilli);
  EXPECT_EQ(costs[2].native_ns, 7 * kMilli);
  for (const OperatorCost& cost : costs) EXPECT_EQ(cost.cpu_ns, std::nullopt);
}

TEST_F(OperatorCostsTest, AnEnginesThreadsComputeTheOperatorsThatItsFunctionsName) {
  SqlExecution sql;
  sql.id = 5;
  sql.plan = Node(
      "CometColumnarToRow",
      {Node("CometHashAggregate", {Node("CometFilter", {Node("CometNativeScan parquet", {}, {9})}, {9})}, {9})}, {9});
  builder_.application().sql_executions = {std::move(sql)};
  const auto cpu = [&](std::initializer_list<std::string_view> native, int64_t millis) {
    StackId stack = builder_.AddStack({"org.apache.comet.Native.executePlan"});
    for (const std::string_view name : native) {
      stack = builder_.application().profile.stacks.Push(stack, builder_.AddFrame(name, FrameKind::kNative));
    }
    builder_.AddSample(Event::kCpu, 1, thread_, 19, stack, millis * kMilli);
  };
  constexpr std::string_view kAggregate = "<datafusion_physical_plan::aggregates::Stream as Stream>::poll_next";
  constexpr std::string_view kFilter = "<datafusion_physical_plan::filter::FilterExecStream as Stream>::poll_next";
  cpu({kAggregate, "hashbrown::raw::reserve"}, 1);
  cpu({kAggregate, kFilter, "arrow_ord::cmp::gt"}, 2);
  cpu({kAggregate, kFilter, "<datafusion_datasource::file_stream::FileStream as Stream>::poll_next", "snap::decode"},
      4);
  cpu({"tokio::runtime::park"}, 8);
  EXPECT_EQ(CpuOf(1), 1);
  EXPECT_EQ(CpuOf(2), 2);
  EXPECT_EQ(CpuOf(3), 4);
  EXPECT_EQ(CostOfOperators(builder_.application()).unassigned_cpu_ns, 8 * kMilli);
}

TEST_F(OperatorCostsTest, AnOperatorOfAnEngineThatReadsOneOfItsKindIsNotIt) {
  SqlExecution sql;
  sql.id = 5;
  sql.plan =
      Node("CometHashAggregate", {Node("CometHashAggregate", {Node("CometNativeScan parquet", {}, {9})}, {9})}, {9});
  builder_.application().sql_executions = {std::move(sql)};
  const auto cpu = [&](std::initializer_list<std::string_view> native, int64_t millis) {
    StackId stack = builder_.AddStack({"org.apache.comet.Native.executePlan"});
    for (const std::string_view name : native) {
      stack = builder_.application().profile.stacks.Push(stack, builder_.AddFrame(name, FrameKind::kNative));
    }
    builder_.AddSample(Event::kCpu, 1, thread_, 19, stack, millis * kMilli);
  };
  constexpr std::string_view kStream = "<datafusion_physical_plan::aggregates::HashStream as Stream>::poll_next";
  constexpr std::string_view kGroups = "datafusion_physical_plan::aggregates::group_values::intern";
  cpu({kStream, kGroups}, 1);
  cpu({kStream, kStream, kGroups}, 2);
  EXPECT_EQ(CpuOf(0), 1);
  EXPECT_EQ(CpuOf(1), 2);
  // A stream inside a stream of the lower one: there is no further aggregate.
  cpu({kStream, kStream, kStream, kGroups}, 4);
  EXPECT_EQ(CpuOf(1), 6);
}

TEST_F(OperatorCostsTest, AStreamInAStreamIsNoOperatorBesideIt) {
  SqlExecution sql;
  sql.id = 5;
  sql.plan = Node("CometSortMergeJoin",
                  {Node("CometSort", {Node("CometExchange", {}, {9})}, {9}),
                   Node("CometSort", {Node("CometExchange", {}, {9})}, {9})},
                  {9});
  builder_.application().sql_executions = {std::move(sql)};
  StackId stack = builder_.AddStack({"org.apache.comet.Native.executePlan"});
  for (const std::string_view name : {"<datafusion_physical_plan::joins::sort_merge_join::Stream as Stream>::poll_next",
                                      "<datafusion_physical_plan::sorts::merge::Stream as Stream>::poll_next",
                                      "<datafusion_physical_plan::sorts::stream::Stream as Stream>::poll_next"}) {
    stack = builder_.application().profile.stacks.Push(stack, builder_.AddFrame(name, FrameKind::kNative));
  }
  builder_.AddSample(Event::kCpu, 1, thread_, 19, stack, 3 * kMilli);
  EXPECT_EQ(CpuOf(1), 3);
  EXPECT_EQ(CpuOf(3), 0) << "the sort of the join's other side";
}

TEST_F(OperatorCostsTest, WhatNoOperatorRunsIsCounted) {
  Cpu({"org.apache.spark.executor.Executor$TaskRunner.run"}, 4);
  Cpu({"org.apache.spark.executor.Executor$TaskRunner.run", Generated(4, "smj_doConsume_0")}, 6);
  const OperatorCosts costs = CostOfOperators(builder_.application());
  EXPECT_EQ(costs.cpu_ns, 10 * kMilli);
  EXPECT_EQ(costs.unassigned_cpu_ns, 4 * kMilli);
}

TEST_F(OperatorCostsTest, AnOperatorIsASelection) {
  Cpu({Generated(4, "smj_doConsume_0")}, 6);
  Cpu({Generated(3, "sort_addToSorter_0")}, 1);
  Selection selection{.event = "cpu"};
  selection.sql = 5;
  selection.node = kJoin;
  const Result<std::vector<uint32_t>> rows = SelectSamples(builder_.application(), selection);
  ASSERT_TRUE(rows);
  EXPECT_EQ(*rows, std::vector<uint32_t>{0});
  selection.node = 1;
  EXPECT_EQ(ExplainNoSamples(builder_.application(), selection), "operator 1 not found; recorded: 0 to 22");
}

TEST_F(OperatorCostsTest, StagesAreNamedByTheirWork) {
  builder_.application().sql_executions[0].description = "collect at /home/me/job.py:60";
  for (Stage& stage : builder_.application().stages) stage.name = "run at CompletableFuture.java:1768";
  const WorkNames names = NamesOfWork(builder_.application());
  EXPECT_EQ(names.stages[0].Text(), "scan sales → filter, collect at job.py:60");
  EXPECT_EQ(names.stages[2].work, "sort → merge join → Python score");
}

TEST_F(OperatorCostsTest, TheDriverBuildsBroadcasts) {
  SqlExecution sql;
  sql.id = 6;
  sql.start_ns = ApplicationBuilder::Time(20);
  sql.plan = Node("BroadcastHashJoin", {Node("Range"), Node("BroadcastExchange", {Node("Range")})});
  builder_.application().sql_executions.push_back(std::move(sql));
  builder_.AddSample(Event::kCpu, 21, thread_, kNoTask,
                     builder_.AddStack({"org.apache.spark.sql.execution.exchange.BroadcastExchangeExec.run",
                                        "org.apache.spark.sql.execution.joins.HashedRelationBroadcastMode.transform"}),
                     8 * kMilli);
  const OperatorJoin join(builder_.application());
  const std::vector<int32_t> rows = join.Join(builder_.application().profile.samples, join.OfProfile());
  ASSERT_GE(rows[0], 0);
  EXPECT_EQ(join.Operators()[static_cast<size_t>(rows[0])].one.kind, "BroadcastExchange");
}

}  // namespace
}  // namespace sparkprof
