// SPDX-License-Identifier: Apache-2.0
#include "text_log/log_header.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "base/time.h"

namespace sparkprof {
namespace {

struct Example {
  const char* name;
  const char* line;
  const char* time;  // in the format of FormatTimestamp
  LogLevel level;
  const char* thread;
  const char* logger;
  const char* message;
};

void PrintTo(const Example& example, std::ostream* out) { *out << example.name; }

// clang-format off
const Example kExamples[] = {
    {"Spark", "17/06/09 20:10:45 INFO Executor: Running task 0.0", "2017-06-09T20:10:45.000Z", LogLevel::kInfo, "", "Executor", "Running task 0.0"},
    {"Emr", "17/06/09 20:10:45 INFO executor.Executor: Running task 0.0", "2017-06-09T20:10:45.000Z", LogLevel::kInfo, "", "executor.Executor", "Running task 0.0"},
    {"DriverLog", "23/11/07 10:59:24.335 main INFO SparkContext: Running", "2023-11-07T10:59:24.335Z", LogLevel::kInfo, "main", "SparkContext", "Running"},
    {"TaskThread", "23/11/07 10:59:24.335 Executor task launch worker for task 0.0 in stage 0.0 (TID 0) INFO Executor: Done", "2023-11-07T10:59:24.335Z", LogLevel::kInfo, "Executor task launch worker for task 0.0 in stage 0.0 (TID 0)", "Executor", "Done"},
    {"LoggerWithLine", "2019-01-05 19:38:41 INFO  Executor:54 - Running task", "2019-01-05T19:38:41.000Z", LogLevel::kInfo, "", "Executor", "Running task"},
    {"Hadoop", "2024-01-01 00:00:00,123 WARN [main] org.apache.hadoop.util.NativeCodeLoader: Unable", "2024-01-01T00:00:00.123Z", LogLevel::kWarn, "main", "org.apache.hadoop.util.NativeCodeLoader", "Unable"},
    {"Logback", "2024-01-01T00:00:00.123+01:00 [pool-1 thread-2] ERROR o.a.s.Executor - Exception in task", "2023-12-31T23:00:00.123Z", LogLevel::kError, "pool-1 thread-2", "o.a.s.Executor", "Exception in task"},
    {"LevelFirst", "INFO 2024-01-01 00:00:00 [main] Executor: x", "2024-01-01T00:00:00.000Z", LogLevel::kInfo, "main", "Executor", "x"},
    {"LevelInBrackets", "[WARN] [2024-01-01 00:00:00] Executor: x", "2024-01-01T00:00:00.000Z", LogLevel::kWarn, "", "Executor", "x"},
    {"Python", "2024-01-01 00:00:00,5 - py4j.clientserver - WARNING - gone: now", "2024-01-01T00:00:00.500Z", LogLevel::kWarn, "", "py4j.clientserver", "gone: now"},
    {"PythonWithoutTime", "WARNING:root:careful", "1970-01-01T00:00:00.000Z", LogLevel::kWarn, "", "root", "careful"},
    {"Airflow", "[2024-01-01 00:00:00,000] {job.py:12} ERROR - note: failed", "2024-01-01T00:00:00.000Z", LogLevel::kError, "", "", "note: failed"},
    {"Place", "2024/01/01 00:00:00 INFO SparkContext (SparkContext.scala:54) - Running", "2024-01-01T00:00:00.000Z", LogLevel::kInfo, "", "SparkContext", "Running"},
    {"AmericanDate", "12/31/24 10:00:00 INFO A: b c", "2024-12-31T10:00:00.000Z", LogLevel::kInfo, "", "A", "b c"},
    {"MonthName", "05 Jan 2024 10:00:00,250 INFO A: b c", "2024-01-05T10:00:00.250Z", LogLevel::kInfo, "", "A", "b c"},
    {"Agent", "1550420474101 com.uber.profiling.AgentImpl: Ran profiler", "2019-02-17T16:21:14.101Z", LogLevel::kNone, "", "com.uber.profiling.AgentImpl", "Ran profiler"},
    {"KubectlTimestamps", "2024-01-01T08:00:00.123456789Z 24/01/01 10:00:00 INFO A: b c", "2024-01-01T08:00:00.123Z", LogLevel::kInfo, "", "A", "b c"},
    {"HalvesOfTheDay", "01/15/2024 01:02:03 PM INFO A: b c", "2024-01-15T13:02:03.000Z", LogLevel::kInfo, "", "A", "b c"},
    {"MonthFirst", "Jan 5, 2024 12:02:03 AM INFO A: b c", "2024-01-05T00:02:03.000Z", LogLevel::kInfo, "", "A", "b c"},
    {"Abbreviation", "2024-01-15 11:59:52,250 CET INFO A: b c", "2024-01-15T10:59:52.250Z", LogLevel::kInfo, "", "A", "b c"},
    {"AbbreviationInBrackets", "[2024-07-15 11:59:52 CEST] INFO A: b c", "2024-07-15T09:59:52.000Z", LogLevel::kInfo, "", "A", "b c"},
    {"EmptyMessage", "24/01/01 10:00:00 INFO SecurityManager: ", "2024-01-01T10:00:00.000Z", LogLevel::kInfo, "", "SecurityManager", ""},
};
// clang-format on

class LogLayout : public testing::TestWithParam<Example> {};

TEST_P(LogLayout, IsSplitIntoItsParts) {
  const Example& example = GetParam();
  const std::string line = example.line;
  LogHeader header;
  ASSERT_TRUE(LogHeaderParser().Parse(line, &header));
  EXPECT_EQ(FormatTimestamp(header.time.time_ns), example.time);
  EXPECT_EQ(header.level, example.level);
  EXPECT_EQ(header.thread, example.thread);
  EXPECT_EQ(header.logger, example.logger);
  EXPECT_EQ(line.substr(header.message), example.message);
}

INSTANTIATE_TEST_SUITE_P(Layouts, LogLayout, testing::ValuesIn(kExamples),
                         [](const auto& example) { return std::string(example.param.name); });

TEST(LogHeaderParserTest, OtherLinesBeginNoRecord) {
  for (const char* const line :
       {"", "\tat java.lang.Thread.run(Thread.java:840)", "(a,449985000)", "2019-02-17T10:52:36.424",
        "******************", "Caused by: java.io.IOException: 17/06/09 20:10:45 INFO", "INFO",
        "99/99/99 99:99:99 INFO A: b", "[2020-01-01 10:00:00.123]Container exited with a non-zero exit code 137",
        "[Stage 0:>    (0 + 3) / 3]"}) {
    LogHeader header;
    EXPECT_FALSE(LogHeaderParser().Parse(line, &header)) << line;
  }
}

TEST(LogHeaderParserTest, JavaUtilLoggingHasTwoLines) {
  LogHeader header;
  ASSERT_TRUE(LogHeaderParser().Parse("Jan 15, 2024 1:02:03 PM org.apache.spark.SparkContext logInfo", &header));
  EXPECT_TRUE(header.is_first_of_two);
  EXPECT_EQ(FormatTimestamp(header.time.time_ns), "2024-01-15T13:02:03.000Z");
  EXPECT_EQ(header.logger, "org.apache.spark.SparkContext");
  EXPECT_FALSE(LogHeaderParser::ParseSecond("no level: here", &header));
  ASSERT_TRUE(LogHeaderParser::ParseSecond("WARNING: careful", &header));
  EXPECT_EQ(header.level, LogLevel::kWarn);
  EXPECT_EQ(header.message, 9U);
}

TEST(LogHeaderParserTest, ALevelAloneIsAHeaderWhereAnotherProgramNotedTheTime) {
  LogHeader header;
  EXPECT_FALSE(LogHeaderParser().Parse("INFO Executor: done", &header));
  ASSERT_TRUE(LogHeaderParser().Parse("INFO Executor: done", &header, /*may_lack_time=*/true));
  EXPECT_EQ(header.logger, "Executor");
}

TEST(LogTimeParserTest, DaysFollowEachOther) {
  LogTimeParser times;
  const int64_t before = times.Parse("24/02/28 23:59:59 ").time_ns;
  EXPECT_EQ(times.Parse("24/02/29 00:00:00 ").time_ns - before, kNanosPerSecond);
  EXPECT_EQ(times.Parse("24/03/01 00:00:00 ").time_ns - before, kNanosPerSecond * 86401);
}

}  // namespace
}  // namespace sparkprof
