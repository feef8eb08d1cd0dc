// SPDX-License-Identifier: Apache-2.0
#include "prove/query_results.h"

#include <gtest/gtest.h>

#include "prove/result_comparison.h"

namespace sparkprof {
namespace {

PlanNode NodeWithRows(const std::string& name, double rows, std::vector<PlanNode> children = {}) {
  PlanNode node;
  node.name = name;
  node.text = name;
  node.metrics = {{"number of output rows", "sum", 1, true, rows}};
  node.children = std::move(children);
  return node;
}

PlanNode Node(const std::string& name, std::vector<PlanNode> children) {
  PlanNode node;
  node.name = name;
  node.text = name;
  node.children = std::move(children);
  return node;
}

Application RunWith(std::vector<PlanNode> plans) {
  Application application;
  application.ended = true;
  for (PlanNode& plan : plans) {
    SqlExecution& execution = application.sql_executions.emplace_back();
    execution.id = execution.root_id = static_cast<int64_t>(application.sql_executions.size()) - 1;
    execution.description = "collect at job.py:" + std::to_string(execution.id);
    execution.status = RunStatus::kSucceeded;
    execution.plan = std::move(plan);
  }
  return application;
}

TEST(QueryResults, CountsTheRowsBelowOperatorsThatKeepThem) {
  const std::vector<QueryResult> results =
      ResultsOf(RunWith({Node("Project", {Node("Sort", {NodeWithRows("HashAggregate", 200)})})}));
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].rows, 200);
}

TEST(QueryResults, LeavesQueriesThatShowSomeRowsUnchecked) {
  const std::vector<QueryResult> results = ResultsOf(RunWith({Node("CollectLimit", {NodeWithRows("Range", 200)})}));
  EXPECT_EQ(results[0].rows, std::nullopt);
  EXPECT_EQ(results[0].unchecked, "it shows some rows only");
}

TEST(QueryResults, LeavesRowsOfRetriedTasksUnchecked) {
  Application application = RunWith({NodeWithRows("HashAggregate", 200)});
  application.stages.emplace_back().attempt = 1;
  EXPECT_EQ(ResultsOf(application)[0].rows, std::nullopt);
}

TEST(QueryResults, NamesWritesThatASecondRunWouldAddTo) {
  PlanNode append = Node("Execute InsertIntoHadoopFsRelationCommand", {});
  append.text = "Execute InsertIntoHadoopFsRelationCommand file:/data/sales, false, Parquet, [path=x], Append, [id]";
  EXPECT_EQ(WritesThatAddUp(RunWith({append})), "query 0 appends to file:/data/sales");
  PlanNode overwrite = append;
  overwrite.text.replace(overwrite.text.find("Append"), 6, "Overwrite");
  EXPECT_EQ(WritesThatAddUp(RunWith({overwrite})), "");
  EXPECT_EQ(WritesThatAddUp(RunWith({Node("MergeIntoTable", {})})), "query 0 merges into a table");
  EXPECT_EQ(WritesThatAddUp(RunWith({Node("SortMergeJoin", {NodeWithRows("Range", 7), NodeWithRows("Range", 7)})})),
            "");
  Application stream;
  stream.streaming_queries.emplace_back();
  EXPECT_NE(WritesThatAddUp(stream), "");
}

TEST(ResultComparison, NamesAQueryWithOtherRows) {
  ResultComparison comparison;
  comparison.AddBefore(RunWith({NodeWithRows("HashAggregate", 200), NodeWithRows("Filter", 7)}));
  comparison.AddAfter(RunWith({NodeWithRows("HashAggregate", 100), NodeWithRows("Filter", 7)}));
  comparison.AddAfter(RunWith({NodeWithRows("HashAggregate", 100), NodeWithRows("Filter", 7)}));
  ASSERT_EQ(comparison.Different().size(), 1U);
  EXPECT_EQ(comparison.Different()[0].query, "collect at job.py:0");
  EXPECT_EQ(comparison.Different()[0].before, 200);
  EXPECT_EQ(comparison.Different()[0].after, 100);
  EXPECT_EQ(comparison.Queries(), 2U);
  EXPECT_EQ(comparison.Equal(), 1U);
}

TEST(ResultComparison, DoesNotCompareWhatDiffersWithoutAChange) {
  ResultComparison comparison;
  comparison.AddBefore(RunWith({NodeWithRows("HashAggregate", 200)}));
  comparison.AddBefore(RunWith({NodeWithRows("HashAggregate", 201)}));
  comparison.AddAfter(RunWith({NodeWithRows("HashAggregate", 202)}));
  EXPECT_TRUE(comparison.Different().empty());
  EXPECT_EQ(comparison.Unchecked(), std::vector<std::string>{"1 query: its rows differ from run to run"});
}

TEST(ResultComparison, LeavesOutRunsWhoseLastQueriesAreUnknown) {
  Application cut = RunWith({NodeWithRows("HashAggregate", 200)});
  cut.ended = false;
  ResultComparison comparison;
  for (int run = 0; run < 2; ++run)
    comparison.AddBefore(RunWith({NodeWithRows("HashAggregate", 200), NodeWithRows("Filter", 7)}));
  comparison.AddBefore(cut);
  comparison.AddAfter(cut);
  EXPECT_EQ(comparison.Equal(), 0U) << "no run after the change";
  comparison.AddAfter(RunWith({NodeWithRows("HashAggregate", 200), NodeWithRows("Filter", 7)}));
  EXPECT_EQ(comparison.Equal(), 2U);
  EXPECT_EQ(comparison.Unchecked(), std::vector<std::string>{"2 runs without the application's end in the recording"});
}

TEST(ResultComparison, ListsQueriesThatTheChangedProgramDoesNotRun) {
  ResultComparison comparison;
  comparison.AddBefore(RunWith({NodeWithRows("HashAggregate", 200), NodeWithRows("Filter", 7)}));
  comparison.AddAfter(RunWith({NodeWithRows("HashAggregate", 200)}));
  EXPECT_EQ(comparison.Equal(), 1U);
  EXPECT_EQ(comparison.Unchecked(), std::vector<std::string>{"1 query: the changed program does not run it"});
}

}  // namespace
}  // namespace sparkprof
