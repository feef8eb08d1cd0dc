// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

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

TEST(ExplainPlanTest, OfAnExtendedPlanThePhysicalOneCounts) {
  EXPECT_EQ(AnswerText("== Parsed Logical Plan ==\n'Project ['id]\n+- Relation [id#0L] parquet\n\n== Physical Plan ==\n"
                       "*(1) Project [id#0L]\n+- *(1) Range (0, 10, step=1, splits=2)\n")
                .answers.verdict,
            "A query plan of EXPLAIN: 2 operators.");
}

}  // namespace
}  // namespace sparkprof
