// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/memory_limit.h"
#include "fragments/testing/answer_text.h"

namespace sparkprof {
namespace {

using testing::AnswerStartsOf;
using testing::AnswerText;
using testing::Summary;

constexpr char kSimple[] =
    "== Physical Plan ==\n"
    "AdaptiveSparkPlan isFinalPlan=true\n"
    "+- == Final Plan ==\n"
    "   *(3) Project [id#0L, score(name#1)#9 AS s#10]\n"
    "   +- BatchEvalPython [score(name#1)#9], [pythonUDF0#11]\n"
    "      +- *(2) BroadcastHashJoin [id#0L], [id#5L], Inner, BuildRight, false\n"
    "         :- *(2) Filter (isnotnull(name#1) AND (cast(name#1 as int) = 3))\n"
    "         :  +- *(2) ColumnarToRow\n"
    "         :     +- FileScan parquet spark_catalog.shop.orders[id#0L,name#1,day#2] Batched: true, DataFilters: [], "
    "Format: Parquet, "
    "Location: InMemoryFileIndex(1 paths)[file:/data/orders], PartitionFilters: [], PushedFilters: [IsNotNull(name)], "
    "ReadSchema: "
    "struct<id:bigint,name:string>\n"
    "         +- BroadcastExchange HashedRelationBroadcastMode(List(input[0, bigint, false]),false), [plan_id=1]\n"
    "            +- *(1) Scan ExistingRDD[id#5L]\n"
    "+- == Initial Plan ==\n"
    "   SortMergeJoin [id#0L], [id#5L], Inner\n"
    "   +- Exchange hashpartitioning(id#0L, 200), ENSURE_REQUIREMENTS, [plan_id=2]\n";

TEST(ExplainPlanTest, ReadsTheFinalPlanOfAdaptiveExecution) {
  const FragmentAnswer answer = AnswerText(kSimple);
  EXPECT_EQ(Summary(answer),
            "A query plan of EXPLAIN: 9 operators.\n"
            "The final plan of adaptive execution, as it ran\n"
            "Joins: 1 BroadcastHashJoin\n"
            "Exchanges: 1 BroadcastExchange\n"
            "Python: 1 BatchEvalPython\n"
            "Scan: FileScan parquet spark_catalog.shop.orders, no partition filters, pushed filters IsNotNull(name)\n"
            "Scan: Scan ExistingRDD\n"
            "pickled-rows: A Python function gets each row without Arrow\n"
            "unpushed-filter: A filter is not pushed into FileScan parquet spark_catalog.shop.orders\n");
  for (const Finding& finding : answer.answers.findings) {
    EXPECT_FALSE(finding.saving.IsKnown()) << finding.rule;
    EXPECT_FALSE(IsFolded(finding)) << finding.rule;
    EXPECT_EQ(ConfidenceName(finding.confidence), "low");
  }
  AnswerStartsOf(kSimple);
}

TEST(ExplainPlanTest, ReadsAFormattedPlan) {
  EXPECT_EQ(Summary(AnswerText("== Physical Plan ==\n"
                               "CartesianProduct Inner (5)\n"
                               ":- * Filter (3)\n"
                               ":  +- * ColumnarToRow (2)\n"
                               ":     +- Scan parquet  (1)\n"
                               "+- Exchange (4)\n"
                               "\n\n"
                               "(1) Scan parquet \n"
                               "Output [1]: [id#0L]\n"
                               "Batched: true\n"
                               "Location: InMemoryFileIndex [file:/data/orders]\n"
                               "PushedFilters: [IsNotNull(id), EqualTo(id,3)]\n"
                               "ReadSchema: struct<id:bigint>\n"
                               "\n"
                               "(3) Filter [codegen id : 1]\n"
                               "Input [1]: [id#0L]\n"
                               "Condition : (isnotnull(id#0L) AND (id#0L = 3))\n"
                               "\n"
                               "(4) Exchange\n"
                               "Input [1]: [id#7L]\n"
                               "Arguments: hashpartitioning(id#7L, 200), ENSURE_REQUIREMENTS, [plan_id=2]\n")),
            "A query plan of EXPLAIN: 5 operators.\n"
            "Joins: 1 CartesianProduct\n"
            "Exchanges: 1 Exchange hashpartitioning\n"
            "Scan: Scan parquet of file:/data/orders, pushed filters IsNotNull(id), EqualTo(id,3)\n"
            "exploding-join: A join compares all pairs of rows (CartesianProduct)\n");
}

TEST(ExplainPlanTest, AReadOverOneConnectionIsAFinding) {
  const std::string plan =
      "== Physical Plan ==\n*(2) HashAggregate(keys=[shop#3L], functions=[])\n"
      "+- *(1) Scan JDBCRelation(shop.orders) [numPartitions=1] [shop#3L] PushedFilters: [], ReadSchema: struct<>\n";
  const FragmentAnswer answer = AnswerText(plan);
  ASSERT_EQ(answer.answers.findings.size(), 1u);
  EXPECT_EQ(answer.answers.findings[0].title, "One task reads all of Scan JDBCRelation(shop.orders)");
  std::string several = plan;
  several.replace(several.find("Partitions=1"), 12, "Partitions=8");
  EXPECT_TRUE(AnswerText(several).answers.findings.empty());
}

TEST(ExplainPlanTest, ATableWithoutStatisticsIsAFinding) {
  const std::string plan =
      "== Optimized Logical Plan ==\nJoin Inner, (a#1 = b#2), Statistics(sizeInBytes=8.0 EB, hints=none)\n"
      ":- Relation[a#1] parquet, Statistics(sizeInBytes=8.0 EB, hints=none)\n"
      "+- Relation[b#2] parquet, Statistics(sizeInBytes=5.2 MB, hints=none)\n\n== Physical Plan ==\n"
      "*(1) Project [a#1]\n+- *(1) Range (0, 10, step=1, splits=2)\n";
  const FragmentAnswer answer = AnswerText(plan);
  ASSERT_EQ(answer.answers.findings.size(), 1u);
  EXPECT_EQ(answer.answers.findings[0].title, "Spark does not know the size of 1 table");
  EXPECT_EQ(answer.answers.findings[0].evidence, "Relation[a#1] parquet, Statistics(sizeInBytes=8.0 EB, hints=none)");
  AnswerStartsOf(plan);
}

TEST(ExplainPlanTest, AFinalPlanSaysThatSkewIsHandled) {
  const FragmentAnswer answer = AnswerText(
      "== Physical Plan ==\nAdaptiveSparkPlan (4)\n+- == Final Plan ==\n"
      "   ResultQueryStage (3), Statistics(sizeInBytes=8.0 EiB)\n   +- * SortMergeJoin(skew=true) Inner (2)\n"
      "+- == Initial Plan ==\n   SortMergeJoin Inner (1)\n");
  ASSERT_GE(answer.facts.size(), 2u);
  EXPECT_EQ(answer.facts[0], "The final plan of adaptive execution, as it ran");
  EXPECT_EQ(answer.facts[1], "Skew is handled: the large partitions of 1 join were split");
  EXPECT_TRUE(answer.answers.findings.empty());
}

TEST(ExplainPlanTest, APlanBeforeItsExecutionSaysThatItCanChange) {
  const FragmentAnswer answer = AnswerText(
      "== Physical Plan ==\nAdaptiveSparkPlan isFinalPlan=false\n+- Project [id#0L]\n   +- Scan ExistingRDD[id#0L]\n");
  ASSERT_FALSE(answer.facts.empty());
  EXPECT_EQ(answer.facts[0].find("The plan before its execution (isFinalPlan=false)"), 0u) << answer.facts[0];
  EXPECT_TRUE(answer.answers.findings.empty());
}

TEST(ExplainPlanTest, EqualitiesBesideOrAreNamed) {
  const FragmentAnswer answer = AnswerText(
      "== Physical Plan ==\nBroadcastNestedLoopJoin BuildRight, Inner, ((a#1 = b#2) OR (c#3 = d#4))\n"
      ":- *(1) Range (0, 10)\n+- *(1) Range (0, 10)\n");
  ASSERT_EQ(answer.answers.findings.size(), 1u);
  EXPECT_NE(answer.answers.findings[0].change.find("a join for each side of the OR"), std::string::npos);
}

TEST(ExplainPlanTest, ACopyOnWriteCommandWritesWholeFiles) {
  const FragmentAnswer answer = AnswerText(
      "== Physical Plan ==\n"
      "ReplaceData IcebergWrite(table=lake.db.events, format=PARQUET)\n"
      "+- Sort [day#1 ASC NULLS FIRST], false, 0\n"
      "   +- Exchange hashpartitioning(day#1, 4000), REPARTITION_BY_NUM, [plan_id=118]\n"
      "      +- MergeRows[id#0, day#1]\n"
      "         +- BatchScan lake.db.events[id#0, day#1] [filters=day >= 3]\n");
  ASSERT_EQ(answer.answers.findings.size(), 1u) << Summary(answer);
  const Finding& finding = answer.answers.findings[0];
  EXPECT_EQ(finding.title, "Files with a row to change are written anew whole (copy-on-write)");
  EXPECT_NE(finding.what.find("exchange with 4000 partitions"), std::string::npos) << finding.what;
  EXPECT_NE(finding.change.find("write.distribution-mode=none"), std::string::npos) << finding.change;
}

TEST(ExplainPlanTest, OfAnExtendedPlanThePhysicalOneCounts) {
  EXPECT_EQ(AnswerText("== Parsed Logical Plan ==\n'Project ['id]\n+- Relation [id#0L] parquet\n\n== Physical Plan ==\n"
                       "*(1) Project [id#0L]\n+- *(1) Range (0, 10, step=1, splits=2)\n")
                .answers.verdict,
            "A query plan of EXPLAIN: 2 operators.");
}

TEST(ExplainPlanTest, AFilterOfPartitionsIsApplied) {
  const auto findings_of = [](const std::string& partitions) {
    return AnswerText(
               "== Physical Plan ==\n*(1) Filter (isnotnull(dt#5) AND (cast(dt#5 as date) = 2024-01-01))\n"
               "+- *(1) ColumnarToRow\n   +- FileScan parquet [id#1L,dt#5] Batched: true, DataFilters: [], Format: "
               "Parquet, Location: InMemoryFileIndex(1 paths)[s3a://lake/t], PartitionFilters: [" +
               partitions + "], PushedFilters: [], ReadSchema: struct<id:bigint>\n")
        .answers.findings.size();
  };
  EXPECT_EQ(findings_of("isnotnull(dt#5), (cast(dt#5 as date) = 2024-01-01)"), 0u);
  EXPECT_EQ(findings_of(""), 1u);
}

TEST(ExplainPlanTest, WhatLeadsAllRowsThroughOneTaskIsNamed) {
  const auto titles_of = [](const std::string& plan) {
    std::string titles;
    for (const Finding& finding : AnswerText("== Physical Plan ==\n" + plan).answers.findings)
      titles += finding.title + "\n";
    return titles;
  };
  const std::string exchange = "+- Exchange hashpartitioning(k#1, 200)\n";
  EXPECT_EQ(titles_of("Coalesce 1\n" + exchange),
            "One task computes everything up to the exchange below coalesce(1)\n");
  EXPECT_EQ(titles_of("Coalesce 10\n" + exchange), "");
  const std::string window = "Window [row_number() windowspecdefinition(v#2) AS n#3], [v#2 ASC NULLS FIRST]\n";
  EXPECT_EQ(titles_of(window + "+- *(1) Sort [v#2 ASC NULLS FIRST], false, 0\n   +- Exchange SinglePartition\n"),
            "A window without PARTITION BY runs in one task\n");
  EXPECT_EQ(titles_of("HashAggregate(keys=[])\n+- Exchange SinglePartition\n"), "");
}

TEST(ExplainPlanTest, ManyNodesWithOneNumberCostTheSizeOfTheText) {
  std::string plan = "== Physical Plan ==\nScan parquet  (1)\n";
  for (int node = 0; node < 5'000; ++node) plan += "+- Filter (2)\n";
  plan += "\n\n(2) Filter\n" + std::string(200'000, 'x') + "\n\n(1) Scan parquet\nOutput [1]: [id#0L]\n";
  EXPECT_TRUE(WithinMemory(size_t{64} << 20, [&] { return AnswerText(plan); }));
}

}  // namespace
}  // namespace sparkprof
