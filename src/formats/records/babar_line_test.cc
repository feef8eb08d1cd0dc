// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "formats/records/testing/example_records.h"

namespace sparkprof {
namespace {

TEST(BabarLineTest, MetricsOfAContainerBecomeCurves) {
  const ProfilerRecords records = ReadRecords("\n" + std::string(kBabarMetricLine) + "\n");
  ASSERT_EQ(records.processes.size(), 1U);
  EXPECT_EQ(records.processes[0].name, "vm_p2T8N2wA");
  EXPECT_EQ(records.processes[0].host, "vm");
  EXPECT_EQ(FirstValue(records, "JVM_HEAP_MEMORY_USED_BYTES"), 8310784);
  EXPECT_EQ(FindSeries(records, "JVM_HEAP_MEMORY_USED_BYTES")->metric.series, "jvm.heap_used_bytes");
  EXPECT_EQ(FindSeries(records, "JVM_HEAP_MEMORY_USED_BYTES")->points[0].time_ns, 1795256429005'000'000);
}

TEST(BabarLineTest, TracesAreStacksBehindTheirThread) {
  const ProfilerRecords records = ReadRecords(kBabarTraceLine);
  EXPECT_EQ(Folded(records), "Load.main:7;java.lang.Thread.start:809;java.lang.Thread.start0:-2 9\n");
  EXPECT_EQ(records.strings.Get(records.stack_counts[0].thread), "main");
}

TEST(BabarLineTest, AThreadsNameMayHoldTheSeparator) {
  const ProfilerRecords records = ReadRecords("BABAR\tvm_1\tCPU_TRACES\t1\t2.0\tpool|3|a.B.run:7");
  EXPECT_EQ(Folded(records), "a.B.run:7 2\n");
  EXPECT_EQ(records.strings.Get(records.stack_counts[0].thread), "pool|3");
}

TEST(BabarLineTest, LinesInAggregatedLogsAreFound) {
  const ProfilerRecords records = ReadRecords("LogType:babar.log\nLogLength:99\nLog Contents:\n" +
                                              std::string(kBabarMetricLine) + "\nEnd of LogType:babar.log\n");
  EXPECT_EQ(records.Count(RecordKind::kBabarMetric), 1);
  EXPECT_EQ(records.damaged_lines, 0);
}

TEST(BabarLineTest, DamagedLinesAreCounted) {
  for (const char* line : {"BABAR\tvm_1\tJVM_CPU_TIME\t12", "BABAR\tvm_1\tJVM_CPU_TIME\tsoon\t1.0\t",
                           "BABAR\tvm_1\tJVM_CPU_TIME\t1\tmuch\t", "BABAR\tvm_1\tCPU_TRACES\t1\t-2\tmain|a:1"}) {
    EXPECT_EQ(ReadRecords(line).damaged_lines, 1) << line;
  }
}

}  // namespace
}  // namespace sparkprof
