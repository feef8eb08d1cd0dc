// SPDX-License-Identifier: Apache-2.0
#include "analysis/plans/work_names.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace sparkprof {
namespace {

// The work of a stage with these operators, in the order of the data.
std::string WorkOf(const std::vector<std::string>& operators) {
  Application application;
  application.stages.emplace_back().id = 0;
  PlanNode plan;
  for (const std::string& name : operators) {
    PlanNode node;
    node.name = name;
    node.stages = {0};
    if (!plan.name.empty()) node.children.push_back(std::move(plan));
    plan = std::move(node);
  }
  application.sql_executions.emplace_back().plan = std::move(plan);
  return NamesOfWork(application).stages[0].work;
}

TEST(WorkNamesTest, JoinsInARowAreCounted) {
  EXPECT_EQ(WorkOf({"Scan parquet db.store_sales", "Filter", "BroadcastHashJoin", "Project", "BroadcastHashJoin",
                    "Project", "Filter", "BroadcastHashJoin", "Project", "Sort"}),
            "scan store_sales → filter → 3 broadcast joins → sort");
}

TEST(WorkNamesTest, OtherJoinsAndWorkBetweenThemAreTold) {
  EXPECT_EQ(WorkOf({"Scan parquet db.sales", "BroadcastHashJoin", "Project", "SortMergeJoin", "Sort", "SortMergeJoin"}),
            "scan sales → broadcast join → merge join → sort → merge join");
}

TEST(WorkNamesTest, EqualStepsInARowAreOne) {
  EXPECT_EQ(WorkOf({"Scan parquet db.sales", "Filter", "Project", "Filter", "Project"}), "scan sales → filter");
}

// Spark's call site is the innermost line that is not Spark's own, and adaptive execution runs a query's stages from a
// thread of its own.
TEST(WorkNamesTest, AStageOfALibraryHasItsOperationByItsOwnCallStackOrThatOfItsQuery) {
  constexpr const char* kState =
      "com.databricks.spark.util.DatabricksLogging.recordOperation(DatabricksLogging.scala:128)\n"
      "org.apache.spark.sql.delta.Snapshot.recordOperation(Snapshot.scala:80)\n"
      "io.delta.tables.DeltaMergeBuilder.execute(DeltaMergeBuilder.scala:253)";
  Application application;
  SqlExecution& sql = application.sql_executions.emplace_back();
  sql.id = 7;
  sql.details = kState;
  Stage& own = application.stages.emplace_back();
  own.name = "recordOperation at DatabricksLogging.scala:128";
  own.details = kState;
  Stage& of_query = application.stages.emplace_back();
  of_query.name = "$anonfun$withThreadLocalCaptured$2 at CompletableFuture.java:1768";
  of_query.sql_execution = 7;
  application.stages.emplace_back().name = "count at Job.scala:3";
  const std::vector<WorkName> names = NamesOfWork(application).stages;
  for (size_t row = 0; row < 2; ++row) {
    EXPECT_EQ(names[row].line, "Delta Lake: the state of a table, computed after each commit");
    EXPECT_EQ(names[row].library, "Delta Lake");
    EXPECT_EQ(names[row].partitions, "spark.databricks.delta.snapshotPartitions");
  }
  EXPECT_EQ(names[2].line, "count at Job.scala:3");
  EXPECT_TRUE(names[2].library.empty());
}

}  // namespace
}  // namespace sparkprof
