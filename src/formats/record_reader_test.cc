// SPDX-License-Identifier: Apache-2.0
#include "formats/record_reader.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "formats/records/testing/example_records.h"

namespace sparkprof {
namespace {

std::string AllLines() {
  std::string lines;
  for (const std::string_view line : kExampleLines) lines.append(line).append("\n");
  return lines;
}

TEST(RecordReaderTest, EachKindIsKnownByItsContent) {
  const ProfilerRecords records = ReadRecords(AllLines());
  for (size_t kind = 0; kind < kRecordKindCount; ++kind) {
    EXPECT_EQ(records.records[kind], 1) << kind;
  }
  EXPECT_EQ(records.RecordCount(), static_cast<int64_t>(kRecordKindCount));
  EXPECT_EQ(records.damaged_lines, 0);
}

TEST(RecordReaderTest, RecordsAreFoundBetweenOtherOutput) {
  const std::string text =
      "Java Agent 1.0.0 premain args: metricInterval=500\r\n"
      "1795256451704 com.uber.profiling.Arguments: Got argument value for metricInterval: 500\r\n"
      "ConsoleOutputReporter - CpuAndMemory: " +
      std::string(kCpuAndMemoryRecord) +
      "\r\n"
      "19/02/23 18:48:45 INFO Executor: {\"not\": \"a record\"} ConsoleOutputReporter\n"
      "\n"
      "(a,449985000)ConsoleOutputReporter - Stacktrace: " +
      std::string(kStacktraceRecord) +
      "\n"
      "2026-11-21T10:00:00Z stdout F " +
      std::string(kPySparkCpuMemoryRecord) +
      "\n"
      "[Stage 0:>   (0 + 3) / 3]" +
      std::string(kPySparkStackRecord) +
      "[Stage 0:>\n"
      "{\"ts\":\"2026-11-21\",\"level\":\"INFO\",\"msg\":\"hello\"}";
  const ProfilerRecords records = ReadRecords(text);
  EXPECT_EQ(records.Count(RecordKind::kCpuAndMemory), 1);
  EXPECT_EQ(records.Count(RecordKind::kStacktrace), 1);
  EXPECT_EQ(records.Count(RecordKind::kPySparkCpuMemory), 1);
  EXPECT_EQ(records.Count(RecordKind::kPySparkStack), 1);
  EXPECT_EQ(records.RecordCount(), 4);
  EXPECT_EQ(records.damaged_lines, 0);
}

TEST(RecordReaderTest, WritersThatShareALineCostOnlyTheRecordTheyCut) {
  const std::string whole = "ConsoleOutputReporter - ThreadInfo: " + std::string(kThreadInfoRecord);
  EXPECT_EQ(ReadRecords(whole + whole + "\n").Count(RecordKind::kThreadInfo), 2);
  EXPECT_EQ(ReadRecords(whole + "1795256451965 com.uber: \"done\" {\"a\n").Count(RecordKind::kThreadInfo), 1);
  const ProfilerRecords cut = ReadRecords(whole.substr(0, whole.size() / 2) + whole + "\n" + whole + "\n");
  EXPECT_EQ(cut.Count(RecordKind::kThreadInfo), 2);
  EXPECT_EQ(cut.damaged_lines, 1);
}

TEST(RecordReaderTest, ACutRecordIsCountedAndCostsItsLineOnly) {
  for (const std::string_view line : kExampleLines) {
    for (size_t size = 0; size <= line.size(); ++size) {
      const ProfilerRecords records =
          ReadRecords(std::string(line.substr(0, size)) + "\n" + std::string(kThreadInfoRecord));
      EXPECT_GE(records.Count(RecordKind::kThreadInfo), 1) << line.substr(0, size);
      EXPECT_LE(records.RecordCount() + records.damaged_lines, 2) << line.substr(0, size);
    }
    const ProfilerRecords records = ReadRecords(line.substr(0, line.size() - line.size() / 3));
    EXPECT_EQ(records.RecordCount() + records.damaged_lines, 1) << line;
  }
}

TEST(RecordReaderTest, AnyBytesAreSurvived) {
  std::mt19937 random(1);
  const std::string lines = AllLines();
  for (int round = 0; round < 2000; ++round) {
    std::string damaged = lines;
    for (int change = 0; change < 8; ++change) damaged[random() % damaged.size()] = static_cast<char>(random());
    const ProfilerRecords records = ReadRecords(damaged);
    for (const RecordSeries& series : records.series) ASSERT_LT(series.process, records.processes.size());
    for (const RecordStack& row : records.stack_counts) {
      ASSERT_LT(row.process, records.processes.size());
      ASSERT_LT(row.stack, records.stacks.Size());
    }
  }
}

TEST(RecordReaderTest, TextThatIsNotUtf8IsReadAsFarAsItIs) {
  std::string record(kStacktraceRecord);
  record.replace(record.find("Finalizer.run"), 9, "Finaliz\xff\xfe");
  EXPECT_EQ(Folded(ReadRecords(record)),
            "java.lang.ref.Finaliz\xef\xbf\xbd\xef\xbf\xbd.run;"
            "java.lang.ref.ReferenceQueue.remove;java.lang.Object.wait 3\n");
}

TEST(RecordReaderTest, PointsAreSortedByTime) {
  std::string late(kThreadInfoRecord);
  late.replace(late.find("1550420474300"), 13, "1550420479999");
  const ProfilerRecords records = ReadRecords(late + "\n" + std::string(kThreadInfoRecord));
  const RecordSeries* const series = FindSeries(records, "liveThreadCount");
  ASSERT_NE(series, nullptr);
  ASSERT_EQ(series->points.size(), 2U);
  EXPECT_EQ(series->points[0].time_ns, 1550420474300'000'000);
  EXPECT_EQ(series->points[1].time_ns, 1550420479999'000'000);
}

TEST(RecordReaderTest, SamplesOfAStackAddUpWhenTimesAreNotKept) {
  std::string other_window(kStacktraceRecord);
  other_window.replace(other_window.find("1550400754659"), 13, "1550400755483");
  const std::string lines = std::string(kStacktraceRecord) + "\n" + other_window;
  EXPECT_EQ(ReadRecords(lines).stack_counts.size(), 2U);
  const ProfilerRecords records = ReadRecords(lines, {.stack_windows = false});
  ASSERT_EQ(records.stack_counts.size(), 1U);
  EXPECT_EQ(records.stack_counts[0].count, 6);
}

TEST(RecordReaderTest, TheNumberOfSeriesHasALimit) {
  std::string lines;
  for (int i = 0; i < 100; ++i) {
    std::string record(kMethodArgumentRecord);
    lines += record.replace(record.find("473"), 3, std::to_string(i)) + "\n";
  }
  const ProfilerRecords records = ReadRecords(lines, {.max_series = 60});
  EXPECT_EQ(records.series.size(), 60U);
  EXPECT_EQ(records.dropped_series, 40);
}

}  // namespace
}  // namespace sparkprof
