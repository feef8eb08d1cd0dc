// SPDX-License-Identifier: Apache-2.0
#include "model/plan_operators.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

PlanNode Node(std::string name, std::vector<PlanNode> children = {}, std::vector<int64_t> stages = {},
              std::vector<PlanMetric> metrics = {}) {
  return {name, name, std::move(metrics), std::move(stages), std::move(children)};
}

PlanMetric Rows(double value) { return {"number of output rows", "sum", 1, true, value}; }

// An aggregate over a scan, in two stages.
PlanNode AggregatePlan() {
  PlanNode scan = Node("Scan parquet sales", {}, {3}, {Rows(100)});
  PlanNode partial =
      Node("WholeStageCodegen (1)",
           {Node("HashAggregate", {Node("Project", {Node("Filter", {Node("InputAdapter", {scan})}, {3}, {Rows(60)})})},
                 {3}, {Rows(4)})},
           {3});
  PlanNode exchange = Node("Exchange hashpartitioning", {partial}, {3, 4});
  PlanNode top = Node("HashAggregate", {Node("InputAdapter", {Node("ShuffleQueryStage", {exchange})})}, {4}, {Rows(2)});
  return Node("AdaptiveSparkPlan", {Node("WholeStageCodegen (2)", {top}, {4})});
}

TEST(PlanOperators, WrappersAreNoOperatorsButCountAsNodes) {
  const PlanNode plan = AggregatePlan();
  const std::vector<PlanOperator> operators = OperatorsOf(plan);
  ASSERT_EQ(operators.size(), 6u);
  const std::vector<std::string_view> kinds{"HashAggregate", "Exchange", "HashAggregate", "Project", "Filter", "Scan"};
  const std::vector<int32_t> nodes{2, 5, 7, 8, 9, 11};
  const std::vector<int32_t> codegen{2, 0, 1, 1, 1, 0};
  for (size_t row = 0; row < operators.size(); ++row) {
    EXPECT_EQ(operators[row].kind, kinds[row]);
    EXPECT_EQ(operators[row].node, nodes[row]);
    EXPECT_EQ(operators[row].codegen, codegen[row]);
    EXPECT_EQ(operators[row].parent, static_cast<int32_t>(row) - 1);
  }
}

TEST(PlanOperators, RowsInAreThoseOfTheInputs) {
  const PlanNode plan = AggregatePlan();
  const std::vector<PlanOperator> operators = OperatorsOf(plan);
  EXPECT_EQ(operators[0].rows_in, 4);  // an exchange returns what it reads
  EXPECT_EQ(operators[0].rows_out, 2);
  EXPECT_EQ(operators[2].rows_in, 60);  // a projection, too
  EXPECT_EQ(operators[4].rows_in, 100);
  EXPECT_EQ(operators[5].rows_in, std::nullopt);
}

TEST(PlanOperators, OperatorsOfAnEngineAreThoseOfSparkThatTheyStandFor) {
  const PlanNode scan = Node("GpuScan parquet sales", {}, {3}, {{"output rows", "sum", 1, true, 100}});
  const PlanNode plan =
      Node("GpuColumnarToRow", {Node("GpuProject", {Node("GpuColumnarExchange", {scan}, {3, 4})})}, {4});
  const std::vector<PlanOperator> operators = OperatorsOf(plan);
  ASSERT_EQ(operators.size(), 4u);
  const std::vector<std::string_view> kinds{"ColumnarToRow", "Project", "Exchange", "Scan"};
  for (size_t row = 0; row < operators.size(); ++row) {
    EXPECT_EQ(operators[row].kind, kinds[row]);
    EXPECT_EQ(operators[row].rows_out, 100);
  }
}

TEST(PlanOperators, AnOperatorWithoutMetricsRunsWhereTheOneBelowDoes) {
  const PlanNode plan = AggregatePlan();
  EXPECT_EQ(OperatorsOf(plan)[3].stages, std::vector<int64_t>{3});
}

TEST(PlanOperators, ACounterThatNoTaskReportedIsZeroIfTheOperatorRan) {
  PlanMetric unseen = Rows(0);
  unseen.has_value = false;
  EXPECT_EQ(OperatorsOf(Node("Filter", {}, {3}, {unseen}))[0].rows_out, 0);
  EXPECT_EQ(OperatorsOf(Node("Filter", {}, {}, {unseen}))[0].rows_out, std::nullopt);
}

TEST(PlanOperators, TheCopyBelowAReusedExchangeIsNotThere) {
  const PlanNode plan =
      Node("Union", {Node("Exchange", {Node("Range")}), Node("ReusedExchange", {Node("Exchange")}), Node("Filter")});
  const std::vector<PlanOperator> operators = OperatorsOf(plan);
  ASSERT_EQ(operators.size(), 5u);
  EXPECT_EQ(operators[3].kind, "ReusedExchange");
  EXPECT_EQ(operators[4].node, 5);
}

TEST(PlanOperators, RowsOfSubqueriesAreNoInput) {
  const PlanNode plan =
      Node("Filter", {Node("Scan a", {}, {1}, {Rows(10)}), Node("Subquery s", {Node("Scan b", {}, {2}, {Rows(5)})})});
  EXPECT_EQ(OperatorsOf(plan)[0].rows_in, 10);
}

TEST(PlanOperators, NoPlanHasNone) { EXPECT_TRUE(OperatorsOf({}).empty()); }

TEST(PlanChange, JoinsAreReplacedOthersComeAndGo) {
  const PlanNode before = Node("SortMergeJoin", {Node("Sort", {Node("Exchange", {Node("Range")})}),
                                                 Node("Sort", {Node("Exchange", {Node("Range")})})});
  PlanNode read = Node("AQEShuffleRead");
  read.text = "AQEShuffleRead local";
  read.children = {Node("Exchange", {Node("Range")})};
  const PlanNode after =
      Node("WholeStageCodegen (3)",
           {Node("BroadcastHashJoin", {read, Node("BroadcastExchange", {Node("Exchange", {Node("Range")})})})});
  const std::vector<std::string> expected{"SortMergeJoin → BroadcastHashJoin", "+ AQEShuffleRead local",
                                          "+ BroadcastExchange", "- Sort (2×)"};
  EXPECT_EQ(ChangesOfPlan(before, after), expected);
}

TEST(PlanChange, AStageThatHasRunIsNoChange) {
  const PlanNode before = Node("Exchange", {Node("Range")});
  const PlanNode after = Node("ShuffleQueryStage 0", {Node("Exchange", {Node("Range")})});
  EXPECT_TRUE(ChangesOfPlan(before, after).empty());
}

}  // namespace
}  // namespace sparkprof
