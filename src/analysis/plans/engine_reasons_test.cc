// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "analysis/plans/engine_times.h"

namespace sparkprof {
namespace {

PlanNode Node(std::string name, std::vector<PlanNode> children = {}) {
  PlanNode node;
  node.name = std::move(name);
  node.children = std::move(children);
  return node;
}

// Sort (Filter (Filter (Scan t))), with a subquery of the upper filter.
SqlExecution Execution(std::string text) {
  SqlExecution sql;
  sql.plan = Node(
      "Sort", {Node("WholeStageCodegen (1)",
                    {Node("Filter", {Node("Filter", {Node("Scan parquet t")}), Node("Subquery", {Node("Filter")})})})});
  sql.plan_text = "== Physical Plan ==\nSort [COMET: no]\n\n== Extended Information (Comet) ==\n" + std::move(text);
  return sql;
}

const PlanNode& UpperFilter(const SqlExecution& sql) { return sql.plan.children[0].children[0]; }

TEST(EngineReasonsTest, NodesHaveTheReasonsThatTheTreeHasForThem) {
  const SqlExecution sql = Execution(
      " Sort [COMET: a [b] is not supported, c] [COMET-INFO: d]\n"
      "+-  Filter [COMET: rlike]\n"
      "   :  +- Subquery\n"
      "   :     +- Filter\n"
      "   +-  Filter [COMET: collation]\n"
      "      +- Scan parquet t [COMET-INFO: e]\n"
      "\nComet accelerated 0 out of 4 eligible operators (0%).");
  const EngineReasons reasons(sql);
  EXPECT_EQ(reasons.Of(sql.plan), "a [b] is not supported, c");
  EXPECT_EQ(reasons.Of(UpperFilter(sql)), "rlike");
  EXPECT_EQ(reasons.Of(UpperFilter(sql).children[0]), "collation");
  EXPECT_EQ(reasons.Of(UpperFilter(sql).children[1].children[0]), "");
  EXPECT_EQ(reasons.Of(UpperFilter(sql).children[0].children[0]), "");
}

TEST(EngineReasonsTest, NodesThatCannotBeToldApartShareTheirReasons) {
  const SqlExecution sql = Execution("Filter [GLUTEN: rlike]\nFilter [GLUTEN: collation]\n");
  EXPECT_EQ(EngineReasons(sql).Of(UpperFilter(sql)), "collation; rlike");
  EXPECT_EQ(EngineReasons(sql).Of(sql.plan), "");
}

TEST(EngineReasonsTest, ThePlanItselfHasNoReasons) {
  SqlExecution sql = Execution("");
  EXPECT_TRUE(EngineReasons(sql).IsEmpty());
  sql.plan_text = "Sort [COMET: no]";
  EXPECT_TRUE(EngineReasons(sql).IsEmpty());
}

}  // namespace
}  // namespace sparkprof
