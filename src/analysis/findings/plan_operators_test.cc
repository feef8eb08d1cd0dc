// SPDX-License-Identifier: Apache-2.0
// Operators that do unnecessary work: repeated-parsing, wide-decimals, exploding-join, broadcastable-join,
// large-broadcast, unpushed-filter.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "analysis/testing/queries_test.h"

namespace sparkprof {
namespace {

constexpr double kMebibyte = 1 << 20;

class PlanOperatorsTest : public QueriesTest {
 protected:
  static PlanNode Side(double bytes) {
    PlanNode exchange{.name = "Exchange", .metrics = {Size("data size", bytes), Seconds("shuffle write time", 4)}};
    PlanNode sort{.name = "Sort"};
    sort.children = {exchange};
    return sort;
  }

  SqlExecution& AddJoin(double left, double right, const std::string& type = "Inner") {
    PlanNode join{.name = "SortMergeJoin", .text = "SortMergeJoin [id#0L], [id#2L], " + type};
    join.children = {Side(left), Side(right)};
    return AddQuery(20, join);
  }
};

TEST_F(PlanOperatorsTest, AColumnThatIsParsedFiveTimesIsParsedAgain) {
  const auto parse = [&](int count) {
    std::string text = "Project [";
    for (int i = 0; i < count; ++i) text += "get_json_object(text#25, $.f" + std::to_string(i) + ") AS f, ";
    text += "get_json_object(other#3, $.f) AS g]";
    application().sql_executions.clear();
    AddQuery(10, {.name = "Project", .text = text});
  };
  parse(5);
  const Finding finding = Found("repeated-parsing");
  EXPECT_EQ(finding.title, "A query parses the same JSON text 5 times for each row");
  EXPECT_EQ(finding.saving.likely_ns, ApplicationBuilder::Nanos(4));
  EXPECT_EQ(finding.frames, std::vector<std::string>{"collect at job.py:9"});
  AddQuery(5, {.name = "Filter", .text = "Filter (get_json_object(text#9, $.a) = get_json_object(text#9, $.b))"});
  EXPECT_EQ(Found("repeated-parsing").title, "2 queries parse the same JSON text up to 5 times for each row");
  EXPECT_EQ(Found("repeated-parsing").saving.likely_ns, ApplicationBuilder::Nanos(6));
  parse(4);
  EXPECT_FALSE(Finds("repeated-parsing"));
}

TEST_F(PlanOperatorsTest, APatternThatIsMatchedFiveTimesIsMatchedAgain) {
  std::string text = "Project [";
  for (int i = 1; i <= 5; ++i) text += "regexp_extract(value#0, ^(\\S+) (\\S+), " + std::to_string(i) + ") AS f, ";
  AddQuery(10, {.name = "Project", .text = text});
  const Finding finding = Found("repeated-parsing");
  EXPECT_EQ(finding.title, "A query parses the same text 5 times for each row");
  EXPECT_TRUE(finding.change.starts_with("Match the text once")) << finding.change;
}

TEST_F(PlanOperatorsTest, ColumnsThatAreCastToDecimalsOfManyDigitsBecomeObjects) {
  const auto add = [&](const std::string& schema) {
    application().sql_executions.clear();
    PlanNode project{
        .name = "Project",
        .text = "Project [cast(fee#1 as decimal(38,18)) AS fee#4, cast(tax#2 as decimal(38,18)) AS tax#5]"};
    project.children = {{.name = "Scan parquet ",
                         .text = "FileScan parquet [fee#1,tax#2] ReadSchema: struct<" + schema,
                         .metrics = {Rows(100'000'000)}}};
    AddQuery(80, project);
  };
  add("fee:decimal(9,3),tax:dec...");
  const Finding finding = Found("wide-decimals");
  EXPECT_EQ(finding.title, "2 columns are cast to decimals of more than 18 digits, which are objects");
  EXPECT_NE(finding.what.find("makes 200,000,000 numbers objects"), std::string::npos) << finding.what;
  EXPECT_EQ(finding.saving.likely_ns, ApplicationBuilder::Nanos(16)) << "most of 400 ns for each, on four cores";
  add("fee:double,tax:decimal(38,2)>");
  EXPECT_FALSE(Finds("wide-decimals"));
}

TEST_F(PlanOperatorsTest, AJoinWhoseConditionRejectsMostPairsOfItsKeysIsNamedByItsCpuTime) {
  PlanNode range{.name = "Range", .text = "Range (0, 100)", .metrics = {Rows(1'000'000)}};
  PlanNode join{.name = "BroadcastHashJoin",
                .text = "BroadcastHashJoin [device#1], [device#2], Inner, BuildLeft, (clicked#3L <= installed#4L)",
                .metrics = {Rows(1'000'000)}};
  join.children = {std::move(range)};
  AddQuery(10, std::move(join));
  const auto worker = builder_.AddThread(100, "worker", executor_);
  const StackId stack = builder_.AddStack({"org.apache.spark.sql.execution.joins.BroadcastHashJoinExec.join"});
  builder_.AddSample(Event::kCpu, 3, worker, 1, stack, 2 * kNanosPerSecond);
  const Finding finding = Found("exploding-join");
  EXPECT_EQ(finding.title, "A join takes 1 us of CPU time for each row: keys with many rows on both sides");
  EXPECT_TRUE(finding.change.starts_with("Find the values of the join key with most rows")) << finding.change;
  application().profile.samples[0].weight -= 1;
  EXPECT_FALSE(Finds("exploding-join"));
}

TEST_F(PlanOperatorsTest, AJoinThatPairsAllRowsOfATableReturnsWhatItWasAskedFor) {
  PlanNode range{.name = "Range", .text = "Range (0, 100)", .metrics = {Rows(44'000)}};
  PlanNode join{.name = "BroadcastNestedLoopJoin", .metrics = {Rows(241'989'000)}};
  join.children = {std::move(range)};
  SqlExecution& sql = AddQuery(10, std::move(join));
  const auto explodes = [&](const std::string& condition) {
    sql.plan.text = "BroadcastNestedLoopJoin BuildRight, Inner, " + condition;
    return Finds("exploding-join");
  };
  EXPECT_FALSE(explodes("(site1#11 < site2#17)"));
  EXPECT_FALSE(explodes("NOT (id_a#11L = id_b#17L)"));
  EXPECT_TRUE(explodes("(ts#11 < tx#17)")) << "each row matches all later ones";
  EXPECT_TRUE(explodes("(valid_from#11 <= ordered#17)"));
}

TEST_F(PlanOperatorsTest, AnExplodeThatReturnsAHundredTimesItsRowsIsNamed) {
  PlanNode range{.name = "Range", .text = "Range (0, 100)", .metrics = {Rows(100'000)}};
  PlanNode generate{
      .name = "Generate", .text = "Generate explode(days#2), [id#1L], false, [day#3]", .metrics = {Rows(10'000'000)}};
  generate.children = {std::move(range)};
  SqlExecution& sql = AddQuery(10, std::move(generate));
  const Finding finding = Found("exploding-join");
  EXPECT_EQ(finding.title, "explode() returns 100 times the rows it reads");
  sql.plan.text = "Generate explode(sequence(from#2, to#3)), [id#1L], false, [day#4]";
  EXPECT_NE(Found("exploding-join").change.find("add these up in order"), std::string::npos);
  SqlExecution joined = sql;
  joined.plan = {.name = "SortMergeJoin", .text = "SortMergeJoin [id#1L, day#4], [id#5L, on#6]"};
  joined.plan.children = {sql.plan};
  std::swap(sql.plan, joined.plan);
  EXPECT_NE(Found("exploding-join").change.find("Join with the ranges themselves"), std::string::npos);
  std::swap(sql.plan, joined.plan);
  sql.plan.metrics[0].value -= 1;
  EXPECT_FALSE(Finds("exploding-join"));
}

TEST_F(PlanOperatorsTest, CopiesOfRowsForEachGroupingSetAreNamed) {
  PlanNode range{.name = "Range", .text = "Range (0, 100)", .metrics = {Rows(625'000)}};
  PlanNode expand{.name = "Expand",
                  .text = "Expand [[a#1, b#2, c#3, 0], [a#1, b#2, null, 1]], [a#4, b#5, c#6, spark_grouping_id#7L]",
                  .metrics = {Rows(5'000'000)}};
  expand.children = {std::move(range)};
  PlanNode aggregate{.name = "HashAggregate",
                     .text = "HashAggregate(keys=[a#4, b#5, c#6, spark_grouping_id#7L], functions=[partial_sum(d#8)])",
                     .metrics = {Rows(1'000)}};
  aggregate.children = {std::move(expand)};
  SqlExecution& sql = AddQuery(10, std::move(aggregate));
  const Finding finding = Found("exploding-join");
  EXPECT_EQ(finding.title, "A query with grouping sets returns 8 times the rows it reads");
  EXPECT_NE(finding.change.find("GROUPING SETS"), std::string::npos) << finding.change;

  sql.plan.text = "HashAggregate(keys=[a#4, spark_grouping_id#7L], functions=[partial_approx_percentile(d#8)])";
  EXPECT_FALSE(Finds("exploding-join")) << "sketches of the finest set have no sum";
  sql.plan.text = "HashAggregate(keys=[a#4, spark_grouping_id#7L], functions=[partial_sum(d#8)])";
  sql.plan.metrics[0].value = 625'000;
  EXPECT_FALSE(Finds("exploding-join")) << "the finest set has as many rows as the input";
  sql.plan.metrics[0].value = 1'000;
  sql.plan.children[0].metrics[0].value -= 1;
  EXPECT_FALSE(Finds("exploding-join"));
}

TEST_F(PlanOperatorsTest, CopiesOfRowsForEachDistinctCountAreNamed) {
  PlanNode range{.name = "Range", .text = "Range (0, 100)", .metrics = {Rows(625'000)}};
  PlanNode expand{.name = "Expand",
                  .text = "Expand [[a#1, null, 0], [null, b#2, 1]], [a#4, b#5, gid#7]",
                  .metrics = {Rows(5'000'000)}};
  expand.children = {std::move(range)};
  SqlExecution& sql = AddQuery(10, std::move(expand));
  const Finding finding = Found("exploding-join");
  EXPECT_EQ(finding.title, "A query with several count(distinct) returns 8 times the rows it reads");
  EXPECT_TRUE(finding.change.starts_with("Use approx_count_distinct()")) << finding.change;
  sql.plan.text =
      "Expand [[a#1, CASE WHEN (b#2 > 0) THEN user#3L END, null, 0], [a#1, null, CASE WHEN (b#2 > 9) THEN user#3L END, "
      "1]], [a#4, b#5, gid#7]";
  EXPECT_TRUE(Found("exploding-join").change.starts_with("Aggregate twice: by the grouping columns and user first"));
}

TEST_F(PlanOperatorsTest, AJoinWhoseConditionIsAPythonFunctionNamesIt) {
  const PlanNode range{.name = "Range", .text = "Range (0, 100)", .metrics = {Rows(10'000)}};
  PlanNode join{.name = "BroadcastNestedLoopJoin",
                .text = "BroadcastNestedLoopJoin BuildRight, Inner",
                .metrics = {Rows(100'000'000)}};
  join.children = {range, range};
  PlanNode python{.name = "BatchEvalPython",
                  .text = "BatchEvalPython [same_name(person#1, customer#3)#4], [pythonUDF0#9]"};
  python.children = {std::move(join)};
  PlanNode filter{.name = "Filter", .text = "Filter pythonUDF0#9: boolean", .metrics = {Rows(50)}};
  filter.children = {std::move(python)};
  SqlExecution& sql = AddQuery(10, std::move(filter));
  const Finding finding = Found("exploding-join");
  EXPECT_EQ(finding.title, "A join by the Python function same_name() returns 5,000 times the rows it reads");
  EXPECT_NE(finding.what.find("its condition is the Python function same_name()"), std::string::npos) << finding.what;
  EXPECT_TRUE(finding.change.starts_with("Compute what same_name() compares")) << finding.change;
  sql.plan.text = "Filter (id#1 > 4)";
  EXPECT_EQ(Found("exploding-join").title, "A join returns 5,000 times the rows it reads")
      << "the function makes a column";
}

TEST_F(PlanOperatorsTest, NotInOfSeveralColumnsIsNamed) {
  const PlanNode range{.name = "Range", .text = "Range (0, 100)", .metrics = {Rows(10'000)}};
  PlanNode join{.name = "BroadcastNestedLoopJoin",
                .text =
                    "BroadcastNestedLoopJoin BuildRight, LeftAnti, (((a#1 = c#3) OR isnull((a#1 = c#3))) AND "
                    "((b#2 = d#4) OR isnull((b#2 = d#4))))",
                .metrics = {Rows(9'000)}};
  join.children = {range, range};
  SqlExecution& sql = AddQuery(10, std::move(join));
  const Finding finding = Found("exploding-join");
  EXPECT_EQ(finding.title, "NOT IN compares 100,000,000 pairs of rows and returns 9,000");
  EXPECT_TRUE(finding.change.starts_with("Write NOT EXISTS")) << finding.change;
  sql.plan.text = "BroadcastNestedLoopJoin BuildRight, LeftAnti, (a#1 > c#3)";
  EXPECT_EQ(Found("exploding-join").title, "A join without a key compares 100,000,000 pairs of rows and returns 9,000");
}

TEST_F(PlanOperatorsTest, AJoinWithOneBoundOfARangeNeedsTheOther) {
  const PlanNode range{.name = "Range", .text = "Range (0, 100)", .metrics = {Rows(50'000)}};
  PlanNode join{.name = "BroadcastHashJoin",
                .text = "BroadcastHashJoin [id#1], [id#4], Inner, BuildRight, (valid_from#5 <= ts#2), false",
                .metrics = {Rows(5'000'000)}};
  join.children = {range, range};
  SqlExecution& sql = AddQuery(10, std::move(join));
  EXPECT_NE(Found("exploding-join").change.find("lead()"), std::string::npos);
  sql.plan.text = "BroadcastHashJoin [id#1], [id#4], Inner, BuildRight, false";
  EXPECT_EQ(Found("exploding-join").change.find("lead()"), std::string::npos);
}

TEST_F(PlanOperatorsTest, AJoinWithASideOfATenthCanBeBroadcast) {
  SqlExecution& sql = AddJoin(640 * kMebibyte, 64 * kMebibyte);
  const Finding finding = Found("broadcastable-join");
  EXPECT_EQ(
      Weighed(finding),
      "medium, saves 10.0 s (4.0 s to 25.0 s); cpu; SortMergeJoin [id#0L], [id#2L], Inner; its stages take 20.0 s");
  EXPECT_EQ(finding.title, "A join shuffles 640 MiB to join 64.0 MiB");
  EXPECT_NE(finding.change.find("spark.sql.autoBroadcastJoinThreshold=128m"), std::string::npos);
  sql.settings = {{"spark.sql.autoBroadcastJoinThreshold", "-1"}};
  EXPECT_NE(Found("broadcastable-join").change.find("the job turns it off"), std::string::npos);
  sql.plan.children[0].children[0].metrics[0].value -= 1;
  EXPECT_FALSE(Finds("broadcastable-join")) << "less than ten times as much";
}

TEST_F(PlanOperatorsTest, TheOuterSideOfAJoinIsNotBroadcast) {
  AddJoin(1, 640 * kMebibyte, "LeftOuter");
  EXPECT_FALSE(Finds("broadcastable-join"));
  AddJoin(640 * kMebibyte, 1, "FullOuter");
  EXPECT_FALSE(Finds("broadcastable-join"));
  AddJoin(640 * kMebibyte, 1, "LeftOuter");
  EXPECT_TRUE(Finds("broadcastable-join"));
}

TEST_F(PlanOperatorsTest, ABroadcastFromOneHundredMebibytesOnIsLarge) {
  SqlExecution& sql = AddQuery(50, {.name = "BroadcastExchange",
                                    .metrics = {Size("data size", 100 * kMebibyte), Seconds("time to collect", 4)}});
  const Finding finding = Found("large-broadcast");
  EXPECT_EQ(Weighed(finding), "low, saves 2.0 s (800 ms to 5.0 s); cpu; 4.0 s to collect, build and send it");
  EXPECT_EQ(finding.title, "A join broadcasts 100 MiB");
  EXPECT_EQ(finding.saving.likely_ns, ApplicationBuilder::Nanos(2));
  EXPECT_EQ(finding.frames, std::vector<std::string>{"collect at job.py:9"});
  sql.plan.metrics[0].value -= 1;
  EXPECT_FALSE(Finds("large-broadcast"));
}

TEST_F(PlanOperatorsTest, AFilterThatKeepsOneRowInTenShouldBePushedDown) {
  SqlExecution& sql = AddQuery(50, {.name = "Filter", .text = "Filter (id#0L > 5)", .metrics = {Rows(100'000)}});
  PlanNode scan;
  scan.name = "Scan parquet ";
  scan.text = "FileScan parquet [id] PartitionFilters: [], PushedFilters: [], ReadSchema: struct<id:bigint>";
  scan.stages = sql.plan.stages;
  scan.metrics = {Rows(1'000'000)};
  PlanNode columns;
  columns.name = "ColumnarToRow";
  columns.children = {scan};
  sql.plan.children = {columns};
  const Finding finding = Found("unpushed-filter");
  EXPECT_EQ(Weighed(finding), "medium, saves 10.0 s (0 ns to 46.9 s); cpu; Filter (id#0L > 5); its stages take 50.0 s");
  EXPECT_EQ(finding.title, "A scan reads 1,000,000 rows for 100,000 that a filter keeps");
  sql.plan.metrics[0].value += 1;
  EXPECT_FALSE(Finds("unpushed-filter"));
  sql.plan.metrics[0].value = 1;
  // For each comparison, Spark also pushes down that the column is not null.
  std::string& text = sql.plan.children[0].children[0].text;
  text = "FileScan parquet [id] PartitionFilters: [], PushedFilters: [IsNotNull(id)]";
  EXPECT_TRUE(Finds("unpushed-filter"));
  for (const char* const of_each_row : {"Filter (isnotnull(name#1) AND name#1 LIKE %express%)",
                                        "Filter Contains(name#1, a)", "Filter (sent#2 < received#3)"}) {
    sql.plan.text = of_each_row;
    EXPECT_FALSE(Finds("unpushed-filter")) << of_each_row;
  }
  sql.plan.text = "Filter ((month(day#2) = 2) AND name#1 LIKE %express%)";
  EXPECT_TRUE(Finds("unpushed-filter"));
  text = "FileScan parquet [id] PartitionFilters: [], PushedFilters: [IsNotNull(id), GreaterThan(id,5)]";
  EXPECT_FALSE(Finds("unpushed-filter"));
}

}  // namespace
}  // namespace sparkprof
