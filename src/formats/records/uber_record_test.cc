// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "formats/records/testing/example_records.h"

namespace sparkprof {
namespace {

TEST(UberRecordTest, NumbersOfAJvmBecomeCurves) {
  const ProfilerRecords records = ReadRecords(kCpuAndMemoryRecord);
  EXPECT_EQ(FirstValue(records, "heapMemoryTotalUsed"), 18590608);
  EXPECT_EQ(FirstValue(records, "nonHeapMemoryCommitted"), 13238272);
  EXPECT_EQ(FirstValue(records, "processCpuLoad"), 0.25);
  EXPECT_EQ(FirstValue(records, "systemCpuLoad"), 0.5);
  EXPECT_EQ(FirstValue(records, "processCpuTime"), 1168116000);
  EXPECT_EQ(FirstValue(records, "ScavengeCollTime"), 5);
  EXPECT_EQ(FirstValue(records, "ScavengeCollCount"), 1);
  EXPECT_EQ(FirstValue(records, "MarkSweepCollTime"), 7);
  EXPECT_EQ(FirstValue(records, "MarkSweepCollCount"), 2);
  EXPECT_EQ(FirstValue(records, "memoryPools-CodeCache-usageUsed"), 524288);
  EXPECT_EQ(FirstValue(records, "bufferPools-direct-count"), 1);
  EXPECT_EQ(FindSeries(records, "memoryPools-CodeCache-usageMax"), nullptr) << "-1 means that there is no limit";
  EXPECT_EQ(FindSeries(records, "heapMemoryTotalUsed")->metric.series, "jvm.heap_used_bytes");
}

TEST(UberRecordTest, WithoutDetailsOnlyWhatPhilsStopwatchHasIsKept) {
  const ProfilerRecords records = ReadRecords(kCpuAndMemoryRecord, {.details = false});
  EXPECT_EQ(records.series.size(), 10U);
  for (const RecordSeries& series : records.series) EXPECT_TRUE(series.metric.is_standard) << series.metric.name;
}

TEST(UberRecordTest, CollectorsOfEveryKindAreYoungOrOld) {
  const struct {
    const char* young;
    const char* old;
  } kCollectors[] = {{"PS Scavenge", "PS MarkSweep"},
                     {"G1 Young Generation", "G1 Old Generation"},
                     {"Copy", "MarkSweepCompact"},
                     {"ParNew", "ConcurrentMarkSweep"},
                     {"ZGC Pauses", "ZGC Cycles"},
                     {"ZGC Minor Pauses", "ZGC Major Pauses"},
                     {"Shenandoah Pauses", "Shenandoah Cycles"}};
  for (const auto& [young, old] : kCollectors) {
    std::string record(kCpuAndMemoryRecord);
    record.replace(record.find("PS Scavenge"), 11, young);
    record.replace(record.find("PS MarkSweep"), 12, old);
    // In any order.
    for (const bool swapped : {false, true}) {
      if (swapped) {
        record.replace(record.find(young), std::string(young).size(), "first");
        record.replace(record.find(old), std::string(old).size(), young);
        record.replace(record.find("first"), 5, old);
      }
      const ProfilerRecords records = ReadRecords(record);
      EXPECT_EQ(FirstValue(records, "ScavengeCollTime"), swapped ? 7 : 5) << young;
      EXPECT_EQ(FirstValue(records, "MarkSweepCollTime"), swapped ? 5 : 7) << old;
    }
  }
}

TEST(UberRecordTest, OtherCollectorsAreAlsoShownByName) {
  std::string record(kCpuAndMemoryRecord);
  record.replace(record.find("PS Scavenge"), 11, "G1 Young Generation");
  const ProfilerRecords records = ReadRecords(record, {.details = false});
  EXPECT_EQ(FirstValue(records, "gc-G1YoungGeneration-collectionTime"), 5);
  EXPECT_EQ(FindSeries(records, "gc-PSMarkSweep-collectionTime"), nullptr);
}

TEST(UberRecordTest, AProcessIsWhatAllItsRecordsSay) {
  const std::string lines = std::string(kCpuAndMemoryRecord) + "\n" + std::string(kProcessInfoRecord) + "\n" +
                            std::string(kProcessInfoRecord) + "\n" + std::string(kStacktraceRecord);
  const ProfilerRecords records = ReadRecords(lines);
  ASSERT_EQ(records.processes.size(), 1U);
  const RecordProcess& process = records.processes[0];
  EXPECT_EQ(process.key, "a17058d4");
  EXPECT_EQ(process.name, "8465@laptop");
  EXPECT_EQ(process.pid, 8465);
  EXPECT_EQ(process.host, "laptop");
  EXPECT_EQ(process.application_id, "application_1_2");
  EXPECT_EQ(process.role, "driver");
  EXPECT_EQ(process.command_line, "java Jobjava Job") << "fragments of a long text follow each other";
  EXPECT_EQ(process.xmx_bytes, 1073741824);
  EXPECT_EQ(process.first_ms, 1550400754659);
  EXPECT_EQ(process.last_ms, 1550420474091);
}

TEST(UberRecordTest, StacksKeepThreadStateAndWindow) {
  const ProfilerRecords records = ReadRecords(kStacktraceRecord);
  EXPECT_EQ(Folded(records),
            "java.lang.ref.Finalizer.run;java.lang.ref.ReferenceQueue.remove;java.lang.Object.wait 3\n");
  const RecordStack& row = records.stack_counts[0];
  EXPECT_EQ(records.strings.Get(row.thread), "Finalizer");
  EXPECT_EQ(records.strings.Get(row.state), "WAITING");
  EXPECT_EQ(row.start_ms, 1550400754659);
  EXPECT_EQ(row.end_ms, 1550400755483);
}

TEST(UberRecordTest, AStackMayBeEmptyButMustHaveACount) {
  EXPECT_EQ(Folded(ReadRecords(R"({"stacktrace":[],"count":7,"threadName":"Signal Dispatcher"})")), " 7\n");
  for (const char* bad :
       {R"({"stacktrace":["a"]})", R"({"stacktrace":["a"],"count":"many"})", R"({"stacktrace":["a"],"count":1.5})",
        R"({"stacktrace":["a"],"count":-1})", R"({"stacktrace":[1],"count":1})",
        R"({"stacktrace":["a" "b"],"count":1})", R"({"stacktrace":"a","count":1})"}) {
    const ProfilerRecords records = ReadRecords(bad);
    EXPECT_EQ(records.RecordCount(), 0) << bad;
    EXPECT_EQ(records.damaged_lines, 1) << bad;
  }
}

TEST(UberRecordTest, InputOutputThreadsAndMethods) {
  const ProfilerRecords records =
      ReadRecords(std::string(kIoRecord) + "\n" + std::string(kThreadInfoRecord) + "\n" +
                  std::string(kMethodDurationRecord) + "\n" + std::string(kMethodArgumentRecord));
  EXPECT_EQ(FirstValue(records, "self-io-read_bytes"), 798720);
  EXPECT_EQ(FindSeries(records, "self-io-read_bytes")->metric.kind, SeriesKind::kCounter);
  EXPECT_EQ(FirstValue(records, "stat-cpu0-user"), 252);
  EXPECT_EQ(FirstValue(records, "liveThreadCount"), 5);
  EXPECT_EQ(FirstValue(records, "org.example.Job.sleep.duration.sum"), 478);
  EXPECT_EQ(FirstValue(records, "org.example.Job.sleep.arg.1.473"), 2);
}

TEST(UberRecordTest, WhatIsNotANumberLeavesNoPoint) {
  std::string record(kCpuAndMemoryRecord);
  record.replace(record.find("0.25"), 4, "\"NaN\"");
  const ProfilerRecords records = ReadRecords(record);
  EXPECT_EQ(FindSeries(records, "processCpuLoad"), nullptr);
  EXPECT_EQ(FirstValue(records, "systemCpuLoad"), 0.5);
  EXPECT_EQ(records.damaged_lines, 0);
}

}  // namespace
}  // namespace sparkprof
