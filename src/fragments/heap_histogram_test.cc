// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "fragments/testing/answer_text.h"

namespace sparkprof {
namespace {

using testing::AnswerStartsOf;
using testing::AnswerText;
using testing::Summary;

constexpr char kHistogram[] =
    "4711:\n"
    " num     #instances         #bytes  class name (module)\n"
    "-------------------------------------------------------\n"
    "   1:          1000      600000000  [B (java.base@17.0.15)\n"
    "   2:             2      300000000  org.apache.spark.sql.execution.joins.UnsafeHashedRelation\n"
    "   3:            12            480  com.example.Row\n"
    "Total          1014      900000480\n";

TEST(HeapHistogramTest, NamesWhatHoldsTheLargestClasses) {
  EXPECT_EQ(Summary(AnswerText(kHistogram)),
            "A heap histogram of the JVM: 858 MiB in 3 classes.\n"
            "572 MiB (66.7%) in 1,000 objects of byte[]: typically cached blocks, rows, strings, and buffers of "
            "shuffle and network\n"
            "286 MiB (33.3%) in 2 objects of org.apache.spark.sql.execution.joins.UnsafeHashedRelation: typically the "
            "table that a "
            "broadcast join sends to every executor\n"
            "480 B (0.0%) in 12 objects of com.example.Row\n"
            "large-broadcast: 33.3% of the heap: the table that a broadcast join sends to every executor\n");
}

TEST(HeapHistogramTest, ReadsWhatHeadHasCutOffWithoutHeadingAndTotal) {
  const FragmentAnswer answer = AnswerText(
      "   1:          1000      2097152  [C\n"
      "   2:             2      1048576  java.lang.String\n"
      "   3:             2      1048576  java.lang.Class\n");
  EXPECT_EQ(answer.answers.verdict, "A heap histogram of the JVM: 4.0 MiB in 3 classes.");
  EXPECT_TRUE(answer.answers.findings.empty());
}

TEST(HeapHistogramTest, OfSeveralTheLastOneCounts) {
  const FragmentAnswer answer = AnswerText(std::string(kHistogram) + "\n" + kHistogram);
  EXPECT_EQ(answer.answers.verdict, "A heap histogram of the JVM: 858 MiB in 3 classes.");
}

TEST(HeapHistogramTest, OfSeveralWhatGrewIsNamed) {
  const FragmentAnswer answer = AnswerText(
      "   1:   10   2097152  [C\n   2:   2   1024  com.example.Entry\n   3:   2   1024  a.B\n"
      "   1:   30   4194304  [C\n   2:   4   2048  com.example.Entry\n   3:   2   1024  a.B\n");
  ASSERT_EQ(answer.facts.size(), 5u);
  EXPECT_EQ(answer.facts[3], "Grew over 2 histograms: char[] by 2.0 MiB, from 10 to 30 objects");
  EXPECT_EQ(answer.facts[4], "Grew over 2 histograms: com.example.Entry by 1.0 KiB, from 2 to 4 objects");
}

TEST(HeapHistogramTest, AClassThatGrowsInEachOfSeveralIsAFinding) {
  std::string text = "$ for i in 1 2 3; do jmap -histo:live $PID | head; done\n";
  for (const std::string number : {"1", "2", "4"})
    text += "   1:   " + number + "00   2097152  [C\n   2:   " + number +
            "0   1024  com.example.Entry\n   3:   2   1024  a.B\n";
  const FragmentAnswer answer = AnswerText(text);
  ASSERT_EQ(answer.answers.findings.size(), 1u) << Summary(answer);
  const Finding& finding = answer.answers.findings[0];
  EXPECT_EQ(finding.title, "com.example.Entry grows in each of 3 histograms") << "not the arrays that it refers to";
  EXPECT_EQ(finding.evidence, "Objects: 10, 20, 40");
  EXPECT_TRUE(finding.change.starts_with("Look in a heap dump")) << finding.change;
  const std::string falling = text + "   1:   50   2097152  [C\n   2:   5   1024  com.example.Entry\n";
  EXPECT_TRUE(AnswerText(falling).answers.findings.empty());
}

TEST(HeapHistogramTest, DamageDoesNoHarm) {
  AnswerStartsOf(kHistogram);
  AnswerText(" num     #instances         #bytes  class name\n 1: 99999999999999999999 99999999999999999999 a\n");
}

}  // namespace
}  // namespace sparkprof
