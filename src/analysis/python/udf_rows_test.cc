// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "analysis/python/udfs.h"

namespace sparkprof {
namespace {

PlanNode Node(const std::string& name, const std::string& text, int64_t accumulator, double rows, int64_t stage) {
  PlanNode node;
  node.name = name;
  node.text = text;
  node.metrics = {{"data sent to Python workers", "size", accumulator + 1000, true, 7},
                  {"number of output rows", "sum", accumulator, true, rows}};
  node.stages = {stage};
  return node;
}

UdfCost Function(const std::string& name, int32_t eval_type, std::vector<int64_t> stages, int64_t line = 1) {
  UdfCost cost;
  cost.name = name;
  cost.file = "job.py";
  cost.line = line;
  cost.eval_type = eval_type;
  cost.stages = std::move(stages);
  return cost;
}

std::vector<std::optional<int64_t>> RowsOf(std::vector<PlanNode> plans, std::vector<UdfCost> costs) {
  Application application;
  for (PlanNode& plan : plans) {
    application.sql_executions.emplace_back();
    application.sql_executions.back().plan = std::move(plan);
  }
  FillRows(application, &costs);
  std::vector<std::optional<int64_t>> rows;
  for (const UdfCost& cost : costs) rows.push_back(cost.rows);
  return rows;
}

using Rows = std::vector<std::optional<int64_t>>;

TEST(UdfRowsTest, AFunctionHasTheRowsOfTheNodesThatCallItInItsStages) {
  PlanNode plan = Node("ArrowEvalPython", "ArrowEvalPython [score(id#0L)#2L], [pythonUDF0#5L], 200", 1, 40, 4);
  plan.children.push_back(Node("BatchEvalPython", "BatchEvalPython [f(g(id#0L))#2L], [pythonUDF0#5L]", 2, 60, 3));
  const Rows rows = RowsOf({plan, Node("ArrowEvalPython", "ArrowEvalPython [Model.score(x#1)#3], 200", 3, 2, 5)},
                           {Function("Model.score", 200, {4, 5}), Function("f", 100, {3}), Function("g", 100, {3}),
                            Function("core", 200, {4}), Function("score", 0, {4}), Function("f", 100, {9})});
  EXPECT_EQ(rows, (Rows{42, 60, 60, std::nullopt, std::nullopt, std::nullopt}));
}

TEST(UdfRowsTest, ANodeOfSeveralPlansCountsOnce) {
  const PlanNode node = Node("MapInPandas", "MapInPandas clean(id#0L)#10, [id#12L], false", 1, 40, 4);
  EXPECT_EQ(RowsOf({node, node}, {Function("clean", 205, {4})}), (Rows{40}));
}

TEST(UdfRowsTest, ATableFunctionIsKnownByItsClass) {
  const PlanNode node = Node("BatchEvalPythonUDTF", "BatchEvalPythonUDTF explode_it(id#0L)#1, [x#2]", 1, 9, 4);
  EXPECT_EQ(RowsOf({node}, {Function("explode_it.eval", 300, {4})}), (Rows{9}));
}

TEST(UdfRowsTest, WhichOfTwoFunctionsOfOneNameIsMeantIsNotGuessed) {
  const std::string text = "BatchEvalPython [<lambda>(id#0L)#2L], [pythonUDF0#5L]";
  EXPECT_EQ(RowsOf({Node("BatchEvalPython", text, 1, 40, 4)},
                   {Function("<lambda>", 100, {4}, 10), Function("<lambda>", 100, {4}, 20), Function("f", 100, {4})}),
            (Rows{std::nullopt, std::nullopt, std::nullopt}));
  EXPECT_EQ(RowsOf({Node("BatchEvalPython", text, 1, 40, 4), Node("BatchEvalPython", text, 2, 50, 6)},
                   {Function("<lambda>", 100, {4}, 10), Function("<lambda>", 100, {6}, 20)}),
            (Rows{40, 50}));
}

TEST(UdfRowsTest, AMetricWithoutAValueTellsNothing) {
  PlanNode node = Node("BatchEvalPython", "BatchEvalPython [f(id#0L)#2L], [pythonUDF0#5L]", 1, 40, 4);
  node.metrics[1].has_value = false;
  EXPECT_EQ(RowsOf({node}, {Function("f", 100, {4})}), (Rows{std::nullopt}));
}

}  // namespace
}  // namespace sparkprof
