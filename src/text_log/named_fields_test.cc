// SPDX-License-Identifier: Apache-2.0
#include "text_log/named_fields.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace sparkprof {
namespace {

class NamedFieldsTest : public testing::Test {
 protected:
  // The time of {"level":"INFO","msg":"m", and `fields`.
  std::string TimeOf(const std::string& fields) {
    NamedRecord record;
    if (!Parse(R"({"level":"INFO","msg":"m",)" + fields + "}", &record)) return "no record";
    return record.time.size == 0 ? "none" : FormatTimestamp(record.time.time_ns);
  }
  std::string StackOf(const std::string& fields) {
    NamedRecord record;
    return Parse(R"({"level":"INFO","msg":"m",)" + fields + "}", &record) ? std::string(record.stack) : "no record";
  }
  bool IsRecord(const std::string& line) {
    NamedRecord record;
    return Parse(line, &record);
  }
  bool Parse(const std::string& line, NamedRecord* record) {
    fields_.emplace();
    bool is_open = false;
    return fields_->Parse(line, record, &is_open) && !is_open;
  }

  std::optional<NamedFields> fields_;
};

// "TIME|LEVEL|THREAD|LOGGER|MESSAGE" of each line of a log, "-" for a line that is no record, "+" for an open row.
std::vector<std::string> ParseAll(const std::vector<std::string>& lines) {
  NamedFields fields;
  if (!fields.LearnTable(lines)) {
    for (const std::string& line : lines) fields.Learn(line);
  }
  std::vector<std::string> all;
  for (const std::string& line : lines) {
    NamedRecord record;
    bool is_open = false;
    const bool is_record = fields.Parse(line, &record, &is_open);
    if (!is_record || is_open) {
      all.emplace_back(is_open ? "+" : "-");
      continue;
    }
    all.push_back((record.time.size > 0 ? FormatTimestamp(record.time.time_ns) : "") + "|" +
                  std::string(LogLevelName(record.level)) + "|" + std::string(record.thread) + "|" +
                  std::string(record.logger) + "|" + std::string(record.message));
  }
  return all;
}

TEST_F(NamedFieldsTest, EveryNameOfEachFieldIsRead) {
  for (
      const char* const line :
      {R"({"ts":"2024-01-01T00:00:00Z","level":"info","msg":"m","logger":"L","thread":"t"})",
       R"({"timestamp":"2024-01-01T00:00:00Z","level":"INFO","message":"m","logger_name":"L","thread_name":"t"})",
       R"({"@timestamp":"2024-01-01T00:00:00Z","level":"Info","message":"m","loggerName":"L","context":{"task_name":"t"}})",
       R"({"time":"2024-01-01T00:00:00Z","level":"INFO","message":"m","name":"L","context":{"mdc.taskName":"t"}})",
       R"({"asctime":"2024-01-01T00:00:00Z","level":"INFO","message":"m","name":"L","thread":"t","context":{"task_name":"other"}})"}) {
    NamedRecord record;
    ASSERT_TRUE(Parse(line, &record)) << line;
    EXPECT_EQ(FormatTimestamp(record.time.time_ns), "2024-01-01T00:00:00.000Z") << line;
    EXPECT_EQ(record.level, LogLevel::kInfo) << line;
    EXPECT_EQ(record.message, "m") << line;
    EXPECT_EQ(record.logger, "L") << line;
    EXPECT_EQ(record.thread, "t") << line;
  }
}

TEST_F(NamedFieldsTest, TimesSinceTheEpochAreInTheUnitOfTheirDigits) {
  EXPECT_EQ(TimeOf(R"("ts":1550420474)"), "2019-02-17T16:21:14.000Z");
  EXPECT_EQ(TimeOf(R"("ts":1550420474.101)"), "2019-02-17T16:21:14.101Z");
  EXPECT_EQ(TimeOf(R"("timestamp":1550420474101)"), "2019-02-17T16:21:14.101Z");
  EXPECT_EQ(TimeOf(R"("@timestamp":1550420474101000)"), "2019-02-17T16:21:14.101Z");
  EXPECT_EQ(TimeOf(R"("time":1550420474101000000)"), "2019-02-17T16:21:14.101Z");
  EXPECT_EQ(TimeOf(R"("timeMillis":1550420474101)"), "2019-02-17T16:21:14.101Z");
  EXPECT_EQ(TimeOf(R"("ts":9000000000)"), "2255-03-14T16:00:00.000Z");
  EXPECT_EQ(TimeOf(R"("ts":9000000000001000000)"), "none");
  EXPECT_EQ(TimeOf(R"("ts":0)"), "none");
  EXPECT_EQ(TimeOf(R"("ts":-5)"), "none");
  EXPECT_EQ(TimeOf(R"("ts":0,"time":1550420474)"), "2019-02-17T16:21:14.000Z");
  EXPECT_EQ(TimeOf(R"("ts":"no time")"), "none");
}

TEST_F(NamedFieldsTest, Log4jsInstantHasSecondsAndNanoseconds) {
  EXPECT_EQ(TimeOf(R"("instant":{"epochSecond":1550420474,"nanoOfSecond":101000000})"), "2019-02-17T16:21:14.101Z");
  EXPECT_EQ(TimeOf(R"("instant":{"epochSecond":1550420474,"nanoOfSecond":-5})"), "2019-02-17T16:21:14.000Z");
  EXPECT_EQ(TimeOf(R"("instant":{"epochSecond":1550420474,"nanoOfSecond":9000000000})"), "2019-02-17T16:21:15.000Z");
  EXPECT_EQ(TimeOf(R"("instant":{"epochSecond":9000000000})"), "2255-03-14T16:00:00.000Z");
  EXPECT_EQ(TimeOf(R"("instant":{"epochSecond":0})"), "none");
  EXPECT_EQ(TimeOf(R"("instant":{"epochSecond":1})"), "none") << "before Spark";
}

TEST_F(NamedFieldsTest, OtherLinesAreNoRecords) {
  EXPECT_TRUE(IsRecord(R"({"level":"INFO","msg":"m"})"));
  EXPECT_TRUE(IsRecord(R"({"level":"INFO","ts":"2024-01-01T00:00:00Z"})"));
  EXPECT_FALSE(IsRecord(R"({"level":"INFO"})"));
  EXPECT_FALSE(IsRecord(R"({"level":"LOUD","text size":7})"));
  EXPECT_FALSE(IsRecord(R"({"level":"INFO","msg":"m"} and more)"));
  EXPECT_FALSE(IsRecord(R"(24/01/01 {"level":"INFO","msg":"m"})"));
  EXPECT_FALSE(IsRecord(R"({"level":"INFO","msg":m})"));
  EXPECT_TRUE(IsRecord(R"({"Level":"INFO","msg":"m"})"));
  EXPECT_FALSE(IsRecord(R"({"name":"CpuAndMemory","epochMillis":1550420474101,"appClass":"org.example.Job"})"));
  EXPECT_FALSE(IsRecord(""));
}

TEST_F(NamedFieldsTest, ALineInAnotherEncodingIsReadWithReplacements) {
  NamedRecord record;
  ASSERT_TRUE(Parse("{\"level\":\"INFO\",\"msg\":\"caf\xe9\"}", &record));
  EXPECT_TRUE(record.message.starts_with("caf")) << record.message;
}

TEST_F(NamedFieldsTest, ExceptionsAreStackTraces) {
  EXPECT_EQ(StackOf(R"json("exception":{"class":"a.E","msg":"gone","stacktrace":[
      {"class":"a.B","method":"c","file":"B.java","line":"7"},{"method":"f","file":"job.py","line":12},
      {"class":"a.B","method":"d","file":"B.java"},"\tat text.Frame(X.java:1)"]})json"),
            "a.E: gone\n\tat a.B.c(B.java:7)\n\tat f(job.py:12)\n\tat a.B.d(B.java:-1)\n\tat text.Frame(X.java:1)");
  EXPECT_EQ(StackOf(R"("exception":{"exception_class":"a.E","exception_message":"gone"})"), "a.E: gone");
  EXPECT_EQ(StackOf(R"("exception":{"msg":"gone"})"), "gone");
  EXPECT_EQ(StackOf(R"("exception":{"class":"a.E"})"), "a.E");
  EXPECT_EQ(StackOf(R"("exception":{"class":"a.E","msg":"gone","stacktrace":"a.E: gone\n\tat b"})"),
            "a.E: gone\n\tat b");
  EXPECT_EQ(StackOf(R"("exception":{"class":"a.E","msg":"gone","stacktrace":"\tat b"})"), "a.E: gone\n\tat b");
  EXPECT_EQ(StackOf(R"("stack_trace":"a.E: gone")"), "a.E: gone");
  EXPECT_EQ(StackOf(R"("exc_info":"first","stackTrace":"second")"), "first");
  EXPECT_EQ(StackOf(R"("exception":{"class":"a.E"},"stack_trace":"other")"), "a.E");
  EXPECT_EQ(StackOf(R"("logger":"no exception")"), "");
}

TEST_F(NamedFieldsTest, ValuesShowTheRolesOfFieldsWithAnyName) {
  EXPECT_EQ(
      ParseAll(
          {R"json({"a":"etl","when":1795849201123,"sent":1795849209000,"how":"I","who":"org.apache.spark.executor.Executor","what":"Running task 0.0 in stage 1.0 (TID 3)"})json",
           R"json({"a":"etl","when":1795849202123,"sent":1795849209000,"how":"W","who":"com.example.Job","what":"7 rows"})json"}),
      (std::vector<std::string>{
          "2026-11-28T07:00:01.123Z|INFO||org.apache.spark.executor.Executor|Running task 0.0 in stage 1.0 (TID 3)",
          "2026-11-28T07:00:02.123Z|WARN||com.example.Job|7 rows"}));
}

TEST_F(NamedFieldsTest, RowsOfATableAreRecordsBelowItsHeader) {
  for (const std::string separator : {",", ";", "\t"}) {
    const auto row = [&](std::vector<std::string> cells) {
      return cells[0] + separator + cells[1] + separator + cells[2] + separator + cells[3];
    };
    EXPECT_EQ(
        ParseAll({row({"when", "\"sev\"", "src", "entry"}),
                  row({"2026-11-28 07:00:01.5", "INFO", "Executor", "\"Running task 0.0 in stage 1.0 (TID 3)\""}),
                  row({"2026-11-28 07:00:02.5", "WARN", "Job", "\"a \"\"b\"\"" + separator + " c\""}),
                  row({"2026-11-28 07:00:03.5", "WARN", "Job", "\"two"}), "lines\""}),
        (std::vector<std::string>{"-", "2026-11-28T07:00:01.500Z|INFO||Executor|Running task 0.0 in stage 1.0 (TID 3)",
                                  "2026-11-28T07:00:02.500Z|WARN||Job|a \"b\"" + separator + " c", "+", "-"}));
  }
  EXPECT_EQ(ParseAll({"26/11/28 07:00:01 INFO Executor: a, b", "26/11/28 07:00:01 INFO Executor: c, d"}),
            (std::vector<std::string>{"-", "-"}));
}

TEST_F(NamedFieldsTest, LayoutsOfOtherCollectors) {
  for (
      const char* const line :
      {R"({"@timestamp":"2024-01-01T00:00:00Z","log.level":"WARN","message":"m","log.logger":"L","process.thread.name":"t"})",
       R"({"@timestamp":"2024-01-01T00:00:00Z","log":{"level":"warn","logger":"L"},"message":"m","process":{"thread":{"name":"t"}}})",
       R"({"severity":"WARNING","timestamp":"2024-01-01T00:00:00Z","jsonPayload":{"message":"m","class":"L","thread":"t"}})",
       R"({"severity":"WARNING","timestampSeconds":1704067200,"timestampNanos":0,"message":"m","logger":"L","thread":"t"})"}) {
    NamedRecord record;
    ASSERT_TRUE(Parse(line, &record)) << line;
    EXPECT_EQ(FormatTimestamp(record.time.time_ns), "2024-01-01T00:00:00.000Z") << line;
    EXPECT_EQ(record.level, LogLevel::kWarn) << line;
    EXPECT_EQ(record.message, "m") << line;
    EXPECT_EQ(record.logger, "L") << line;
    EXPECT_EQ(record.thread, "t") << line;
  }
}

TEST_F(NamedFieldsTest, APayloadWithoutALevelIsAMessage) {
  EXPECT_EQ(
      ParseAll(
          {R"({"severity":"DEFAULT","timestamp":"2024-01-01T00:00:00Z","textPayload":"24/01/01 00:00:00 INFO A: b"})",
           R"({"message":"m","timestamp":1700000000500})"}),
      (std::vector<std::string>{"2024-01-01T00:00:00.000Z|INFO|||24/01/01 00:00:00 INFO A: b",
                                "2023-11-14T22:13:20.500Z||||m"}));
}

}  // namespace
}  // namespace sparkprof
