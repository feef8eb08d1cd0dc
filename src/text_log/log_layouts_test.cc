// SPDX-License-Identifier: Apache-2.0
#include "text_log/log_layouts.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

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

// Alone, and among the first lines of a log.
TEST_P(LogLayout, IsSplitIntoItsParts) {
  const Example& example = GetParam();
  const std::string whole = example.line;
  for (const bool is_learned : {false, true}) {
    LogLayouts layouts;
    if (is_learned) layouts.Learn({whole, whole});
    LogTime outer;
    LogHeader header;
    const std::string line(layouts.WithoutCarrier(whole, &outer));
    ASSERT_TRUE(layouts.Match(line, outer.size > 0, &header));
    const LogTime time = outer.has_zone && !header.time.has_zone ? outer : header.time;
    EXPECT_EQ(FormatTimestamp(time.time_ns), example.time);
    EXPECT_EQ(header.level, example.level);
    EXPECT_EQ(header.thread, example.thread);
    EXPECT_EQ(header.logger, example.logger);
    EXPECT_EQ(line.substr(header.message, header.message_end - header.message), example.message);
    EXPECT_FALSE(header.is_first_of_two);
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, LogLayout, testing::ValuesIn(kExamples),
                         [](const auto& example) { return std::string(example.param.name); });

// "TIME|LEVEL|THREAD|LOGGER|MESSAGE" of each line, behind "OUTER TIME " where the line has a carrier with one, or the
// line behind "- " where it is no header.
std::vector<std::string> SplitAll(const std::vector<std::string>& lines, LogLayouts* layouts) {
  layouts->Learn(lines);
  std::vector<std::string> all;
  for (const std::string& line : lines) {
    LogTime outer;
    LogHeader header;
    const std::string rest(layouts->WithoutCarrier(line, &outer));
    const std::string before = outer.size > 0 ? FormatTimestamp(outer.time_ns) + " " : "";
    if (!layouts->Match(rest, outer.size > 0, &header)) {
      all.push_back(before + "- " + rest);
      continue;
    }
    all.push_back(before + (header.time.size > 0 ? FormatTimestamp(header.time.time_ns) : "") + "|" +
                  std::string(LogLevelName(header.level)) + "|" + std::string(header.thread) + "|" +
                  std::string(header.logger) + "|" + rest.substr(header.message, header.message_end - header.message));
  }
  return all;
}

std::vector<std::string> SplitAll(const std::vector<std::string>& lines) {
  LogLayouts layouts;
  return SplitAll(lines, &layouts);
}

TEST(LogLayoutsTest, OtherLinesBeginNoRecord) {
  for (const char* const line :
       {"", "\tat java.lang.Thread.run(Thread.java:840)", "(a,449985000)", "2019-02-17T10:52:36.424",
        "******************", "Caused by: java.io.IOException: 17/06/09 20:10:45 INFO", "INFO",
        "99/99/99 99:99:99 INFO A: b", "[2020-01-01 10:00:00.123]Container exited with a non-zero exit code 137",
        "[Stage 0:>    (0 + 3) / 3]", "first-word second-word third"}) {
    LogHeader header;
    EXPECT_FALSE(LogLayouts().Match(line, false, &header)) << line;
  }
}

TEST(LogLayoutsTest, JavaUtilLoggingHasTwoLines) {
  LogHeader header;
  for (const char* const line : {"Jan 15, 2024 1:02:03 PM org.apache.spark.SparkContext logInfo",
                                 "15 janv. 2024 13:02:03 org.apache.spark.SparkContext logInfo"}) {
    ASSERT_TRUE(LogLayouts().Match(line, false, &header)) << line;
    EXPECT_TRUE(header.is_first_of_two);
    EXPECT_EQ(FormatTimestamp(header.time.time_ns), "2024-01-15T13:02:03.000Z");
    EXPECT_EQ(header.logger, "org.apache.spark.SparkContext");
  }
  EXPECT_FALSE(LogLayouts::MatchSecond("no level: here", &header));
  ASSERT_TRUE(LogLayouts::MatchSecond("WARNING: careful", &header));
  EXPECT_EQ(header.level, LogLevel::kWarn);
  EXPECT_EQ(header.message, 9U);
}

TEST(LogLayoutsTest, ALevelAloneIsAHeaderWhereAnotherProgramNotedTheTime) {
  LogHeader header;
  EXPECT_FALSE(LogLayouts().Match("INFO Executor: done", false, &header));
  ASSERT_TRUE(LogLayouts().Match("INFO Executor: done", true, &header));
  EXPECT_EQ(header.logger, "Executor");
}

TEST(LogLayoutsTest, CarriersAreRemovedFromAllLines) {
  struct Carrier {
    const char* text;
    const char* time;
  };
  for (const Carrier& carrier : {
           Carrier{"2024-01-15T11:59:52.1Z ", "2024-01-15T11:59:52.100Z "},
           Carrier{"[pod/etl-driver/spark-kubernetes-driver] ", ""},
           Carrier{"[pod/etl-driver/spark-kubernetes-driver] 2024-01-15T11:59:52.1Z ", "2024-01-15T11:59:52.100Z "},
           Carrier{"etl-1a2b-driver spark-kubernetes-driver ", ""},
           Carrier{"spark-1  | ", ""},
           Carrier{"[2024-01-15T11:59:52.123+0000] {spark_submit.py:492} INFO - ", "2024-01-15T11:59:52.123Z "},
           Carrier{"[2024-01-15, 11:59:52 UTC] {subprocess.py:93} INFO - ", "2024-01-15T11:59:52.000Z "},
           Carrier{"Jan 15 11:59:52 host-1 spark-submit[12]: ", "1972-01-15T11:59:52.000Z "},
           Carrier{"<14>Jan  5 11:59:52 host-1 spark: ", "1972-01-05T11:59:52.000Z "},
           Carrier{"<14>1 2024-01-15T11:59:52Z host-1 spark 12 - - ", "2024-01-15T11:59:52.000Z "},
           Carrier{"<14>1 2024-01-15T11:59:52Z host-1 spark 12 - [id x=\"y\"] ", "2024-01-15T11:59:52.000Z "},
           Carrier{"2024-01-15T11:59:52+0000 host-1 spark-submit[12]: ", "2024-01-15T11:59:52.000Z "},
           Carrier{"> ", ""},
           Carrier{"    ", ""},
           Carrier{"logs/driver.log:12:", ""},
           Carrier{"11:59:52  ", "1970-01-01T11:59:52.000Z "},
           Carrier{"2024-01-15T11:59:52.123456Z 01O ", "2024-01-15T11:59:52.123Z "},
           Carrier{"24/01/15 11:59:52 INFO LineBufferedStream: ", "2024-01-15T11:59:52.000Z "},
       }) {
    const std::string text = carrier.text;
    EXPECT_EQ(SplitAll({text + "24/01/15 12:00:00 INFO SparkContext: Running Spark version 3.5.1",
                        text + "\tat java.lang.Thread.run(Thread.java:840)"}),
              (std::vector<std::string>{
                  carrier.time + std::string("2024-01-15T12:00:00.000Z|INFO||SparkContext|Running Spark version 3.5.1"),
                  carrier.time + std::string("- \tat java.lang.Thread.run(Thread.java:840)")}))
        << text;
  }
}

TEST(LogLayoutsTest, LinesOfTheProgramThatPassesOthersOnStayWhole) {
  EXPECT_EQ(SplitAll({"[2024-01-15, 11:59:52 UTC] {spark_submit.py:492} INFO - 24/01/15 12:00:00 WARN Job: x",
                      "[2024-01-15, 11:59:53 UTC] {taskinstance.py:7} ERROR - Task failed"}),
            (std::vector<std::string>{"2024-01-15T11:59:52.000Z 2024-01-15T12:00:00.000Z|WARN||Job|x",
                                      "2024-01-15T11:59:53.000Z|ERROR|||Task failed"}));
}

// Sentences of Spark in layouts that nobody listed.
TEST(LogLayoutsTest, SentencesOfSparkShowWhereMessagesBeginAndEnd) {
  const char* const sentences[] = {"Running task 0.0 in stage 1.0 (TID 3)",
                                   "Finished task 0.0 in stage 1.0 (TID 3). 1200 bytes result sent to driver",
                                   "Running task 1.0 in stage 1.0 (TID 4)"};
  struct Layout {
    const char* before;
    const char* behind;
    const char* header;
  };
  for (const Layout& layout : {
           Layout{"26/11/28 07:00:01 Executor: ", " [INFO]", "2026-11-28T07:00:01.000Z|INFO||Executor|"},
           Layout{"Executor ", " @ 2026-11-28 07:00:01 (INFO)", "2026-11-28T07:00:01.000Z|INFO||Executor|"},
           Layout{"time=\"2026-11-28T07:00:01Z\" level=info logger=Executor msg=\"", "\"",
                  "2026-11-28T07:00:01.000Z|INFO||Executor|"},
           Layout{"1795849201 I Executor > ", "", "2026-11-28T07:00:01.000Z|INFO||Executor|"},
           Layout{"(inf) <28.11.2026 07:00:01> {main} o.a.s.e.Executor :: ", "",
                  "2026-11-28T07:00:01.000Z|INFO|main|o.a.s.e.Executor|"},
           Layout{"20261128T070001.250Z;WARN;Executor;", "", "2026-11-28T07:00:01.250Z|WARN||Executor|"},
           Layout{" INFO [2026-11-28 07:00:01,123] ({pool-2-thread-3} Logging.scala[logInfo]:54) - ", "",
                  "2026-11-28T07:00:01.123Z|INFO|pool-2-thread-3||"},
           Layout{"07:00:01.123 [main] INFO  o.a.s.executor.Executor -- ", "",
                  "1970-01-01T07:00:01.123Z|INFO|main|o.a.s.executor.Executor|"},
           Layout{
               "Sat Nov 28 07:00:01 UTC 2026 | Executor task launch worker for task 0.0 in stage 1.0 (TID 3) | INFO | ",
               " | org.apache.spark.executor.Executor.logInfo(Logging.scala:54)",
               "2026-11-28T07:00:01.000Z|INFO|Executor task launch worker for task 0.0 in stage 1.0 (TID "
               "3)|org.apache.spark.executor.Executor|"},
       }) {
    std::vector<std::string> lines, expected;
    for (const char* const sentence : sentences) {
      lines.push_back(std::string(layout.before) + sentence + layout.behind);
      expected.push_back(std::string(layout.header) + sentence);
    }
    EXPECT_EQ(SplitAll(lines), expected);
  }
}

TEST(LogLayoutsTest, OtherMessagesOfTheSameLayoutAreRecords) {
  EXPECT_EQ(SplitAll({"INFO @ 07:00:01.5 / main / Executor ~ Running task 0.0 in stage 1.0 (TID 3)",
                      "WARN @ 07:00:02.5 / pool-1-thread-2 / com.example.Job ~ 7 rows: skipped", "plain output"}),
            (std::vector<std::string>{
                "1970-01-01T07:00:01.500Z|INFO|main|Executor|Running task 0.0 in stage 1.0 (TID 3)",
                "1970-01-01T07:00:02.500Z|WARN|pool-1-thread-2|com.example.Job|7 rows: skipped", "- plain output"}));
}

TEST(LogLayoutsTest, WithoutTimesAndLevelsOnlySentencesOfSparkAreRecords) {
  EXPECT_EQ(
      SplitAll({"Running task 0.0 in stage 1.0 (TID 3)", "7 rows", "worker Running task 1.0 in stage 1.0 (TID 4)"}),
      (std::vector<std::string>{"||||Running task 0.0 in stage 1.0 (TID 3)", "- 7 rows",
                                "||||Running task 1.0 in stage 1.0 (TID 4)"}));
  const std::string quotes =
      "Job aborted due to stage failure: Task 2 in stage 9.0 failed 4 times, most recent failure: Lost task 2.3 in "
      "stage 9.0 (TID 33) (h2 executor 4): ExecutorLostFailure (executor 4 exited)";
  EXPECT_EQ(SplitAll({quotes}), std::vector<std::string>{"- " + quotes});
}

TEST(LogLayoutsTest, TheOrderOfADateMakesTheLogShortAndNotOfTheFuture) {
  const auto first = [](const std::vector<std::string>& times, LogLayouts* layouts) {
    std::vector<std::string> lines;
    for (const std::string& time : times)
      lines.push_back(time + " INFO Executor: Running task 0.0 in stage 1.0 (TID 3)");
    const std::string line = SplitAll(lines, layouts).front();
    return line.substr(0, line.find('|'));
  };
  LogLayouts any, day_first, of_file(LogTimeParser().Parse("2026-03-05 12:00:00").time_ns), unclear;
  EXPECT_EQ(first({"26/11/28 07:00:01"}, &any), "2026-11-28T07:00:01.000Z");
  EXPECT_EQ(first({"11/12/26 23:59:59", "12/12/26 00:00:01"}, &day_first), "2026-12-11T23:59:59.000Z");
  EXPECT_EQ(first({"05/03/26 07:00:01"}, &of_file), "2026-03-05T07:00:01.000Z");
  EXPECT_EQ(first({"05/03/26 07:00:01"}, &unclear), "2026-05-03T07:00:01.000Z");
  EXPECT_TRUE(any.Doubts().empty());
  EXPECT_TRUE(of_file.Doubts().empty());
  EXPECT_EQ(unclear.Doubts().size(), 1u);
}

TEST(LogLayoutsTest, LongRepetitionsEnd) {
  std::string line;
  for (int i = 0; i < 100'000; ++i) line += "a-b c ";
  EXPECT_EQ(SplitAll({line}), (std::vector<std::string>{"- " + line}));
}

TEST(LogTimeParserTest, DaysFollowEachOther) {
  LogTimeParser times;
  const int64_t before = times.Parse("24/02/28 23:59:59 ").time_ns;
  EXPECT_EQ(times.Parse("24/02/29 00:00:00 ").time_ns - before, kNanosPerSecond);
  EXPECT_EQ(times.Parse("24/03/01 00:00:00 ").time_ns - before, kNanosPerSecond * 86401);
}

}  // namespace
}  // namespace sparkprof
