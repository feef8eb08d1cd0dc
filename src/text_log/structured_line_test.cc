// SPDX-License-Identifier: Apache-2.0
#include "text_log/structured_line.h"

#include <gtest/gtest.h>

#include <string>

#include "base/time.h"

namespace sparkprof {
namespace {

class StructuredLineTest : public testing::Test {
 protected:
  // The time of {"level":"INFO","msg":"m", and `fields`.
  std::string TimeOf(const std::string& fields) {
    StructuredRecord record;
    if (!parser_.Parse(R"({"level":"INFO","msg":"m",)" + fields + "}", &record)) return "no record";
    return record.time.size == 0 ? "none" : FormatTimestamp(record.time.time_ns);
  }
  std::string StackOf(const std::string& fields) {
    StructuredRecord record;
    return parser_.Parse(R"({"level":"INFO","msg":"m",)" + fields + "}", &record) ? std::string(record.stack)
                                                                                  : "no record";
  }
  bool IsRecord(const std::string& line) {
    StructuredRecord record;
    return parser_.Parse(line, &record);
  }

  StructuredLineParser parser_;
};

TEST_F(StructuredLineTest, EveryNameOfEachFieldIsRead) {
  for (
      const char* const line :
      {R"({"ts":"2024-01-01T00:00:00Z","level":"info","msg":"m","logger":"L","thread":"t"})",
       R"({"timestamp":"2024-01-01T00:00:00Z","level":"INFO","message":"m","logger_name":"L","thread_name":"t"})",
       R"({"@timestamp":"2024-01-01T00:00:00Z","level":"Info","message":"m","loggerName":"L","context":{"task_name":"t"}})",
       R"({"time":"2024-01-01T00:00:00Z","level":"INFO","message":"m","name":"L","context":{"mdc.taskName":"t"}})",
       R"({"asctime":"2024-01-01T00:00:00Z","level":"INFO","message":"m","name":"L","thread":"t","context":{"task_name":"other"}})"}) {
    StructuredRecord record;
    ASSERT_TRUE(parser_.Parse(line, &record)) << line;
    EXPECT_EQ(FormatTimestamp(record.time.time_ns), "2024-01-01T00:00:00.000Z") << line;
    EXPECT_EQ(record.level, LogLevel::kInfo) << line;
    EXPECT_EQ(record.message, "m") << line;
    EXPECT_EQ(record.logger, "L") << line;
    EXPECT_EQ(record.thread, "t") << line;
  }
}

TEST_F(StructuredLineTest, TimesSinceTheEpochAreInTheUnitOfTheirDigits) {
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

TEST_F(StructuredLineTest, Log4jsInstantHasSecondsAndNanoseconds) {
  EXPECT_EQ(TimeOf(R"("instant":{"epochSecond":1550420474,"nanoOfSecond":101000000})"), "2019-02-17T16:21:14.101Z");
  EXPECT_EQ(TimeOf(R"("instant":{"epochSecond":1550420474,"nanoOfSecond":-5})"), "2019-02-17T16:21:14.000Z");
  EXPECT_EQ(TimeOf(R"("instant":{"epochSecond":1550420474,"nanoOfSecond":9000000000})"), "2019-02-17T16:21:15.000Z");
  EXPECT_EQ(TimeOf(R"("instant":{"epochSecond":9000000000})"), "2255-03-14T16:00:00.000Z");
  EXPECT_EQ(TimeOf(R"("instant":{"epochSecond":9000000001})"), "none");
  EXPECT_EQ(TimeOf(R"("instant":{"epochSecond":0})"), "none");
  EXPECT_EQ(TimeOf(R"("instant":{"epochSecond":1})"), "1970-01-01T00:00:01.000Z");
}

TEST_F(StructuredLineTest, OtherLinesAreNoRecords) {
  EXPECT_TRUE(IsRecord(R"({"level":"INFO","msg":"m"})"));
  EXPECT_TRUE(IsRecord(R"({"level":"INFO","ts":"2024-01-01T00:00:00Z"})"));
  EXPECT_FALSE(IsRecord(R"({"level":"INFO"})"));
  EXPECT_FALSE(IsRecord(R"({"level":"LOUD","msg":"m"})"));
  EXPECT_FALSE(IsRecord(R"({"level":"INFO","msg":"m"} and more)"));
  EXPECT_FALSE(IsRecord(R"(24/01/01 {"level":"INFO","msg":"m"})"));
  EXPECT_FALSE(IsRecord(R"({"level":"INFO","msg":m})"));
  EXPECT_FALSE(IsRecord(R"({"Level":"INFO","msg":"m"})"));
  EXPECT_FALSE(IsRecord(""));
}

TEST_F(StructuredLineTest, ALineInAnotherEncodingIsReadWithReplacements) {
  StructuredRecord record;
  ASSERT_TRUE(parser_.Parse("{\"level\":\"INFO\",\"msg\":\"caf\xe9\"}", &record));
  EXPECT_TRUE(record.message.starts_with("caf")) << record.message;
}

TEST_F(StructuredLineTest, ExceptionsAreStackTraces) {
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

TEST_F(StructuredLineTest, DockersLinesHaveATextAStreamAndATime) {
  LogTime time;
  std::string_view text;
  bool is_stderr = false;
  ASSERT_TRUE(parser_.ParseDocker(R"({"log":"a\n","stream":"stderr","time":"2024-01-01T00:00:00.5Z"})", &time, &text,
                                  &is_stderr));
  EXPECT_EQ(text, "a\n");
  EXPECT_TRUE(is_stderr);
  EXPECT_EQ(FormatTimestamp(time.time_ns), "2024-01-01T00:00:00.500Z");
  ASSERT_TRUE(parser_.ParseDocker(R"({"stream":"stdout","log":"b","time":""})", &time, &text, &is_stderr));
  EXPECT_EQ(text, "b");
  EXPECT_FALSE(is_stderr);
  EXPECT_EQ(time.size, 0u);
  EXPECT_TRUE(parser_.ParseDocker(R"({"time":"","log":"c"})", &time, &text, &is_stderr));
  EXPECT_FALSE(parser_.ParseDocker(R"({"log":7,"stream":"stdout"})", &time, &text, &is_stderr));
  EXPECT_FALSE(parser_.ParseDocker(R"({"stream":"stdout"})", &time, &text, &is_stderr));
  EXPECT_FALSE(parser_.ParseDocker(R"({"other":1,"log":"c"})", &time, &text, &is_stderr));
  EXPECT_FALSE(parser_.ParseDocker(R"({"log":"c")", &time, &text, &is_stderr));
}

TEST_F(StructuredLineTest, LayoutsOfOtherCollectors) {
  for (
      const char* const line :
      {R"({"@timestamp":"2024-01-01T00:00:00Z","log.level":"WARN","message":"m","log.logger":"L","process.thread.name":"t"})",
       R"({"@timestamp":"2024-01-01T00:00:00Z","log":{"level":"warn","logger":"L"},"message":"m","process":{"thread":{"name":"t"}}})",
       R"({"severity":"WARNING","timestamp":"2024-01-01T00:00:00Z","jsonPayload":{"message":"m","class":"L","thread":"t"}})",
       R"({"severity":"WARNING","timestampSeconds":1704067200,"timestampNanos":0,"message":"m","logger":"L","thread":"t"})"}) {
    StructuredRecord record;
    ASSERT_TRUE(parser_.Parse(line, &record)) << line;
    EXPECT_EQ(FormatTimestamp(record.time.time_ns), "2024-01-01T00:00:00.000Z") << line;
    EXPECT_EQ(record.level, LogLevel::kWarn) << line;
    EXPECT_EQ(record.message, "m") << line;
    EXPECT_EQ(record.logger, "L") << line;
    EXPECT_EQ(record.thread, "t") << line;
  }
}

TEST_F(StructuredLineTest, ATextPayloadIsTheLogsOwnLine) {
  LogTime time;
  std::string_view text;
  ASSERT_TRUE(parser_.ParseTextPayload(
      R"({"severity":"DEFAULT","timestamp":"2024-01-01T00:00:00Z","textPayload":"24/01/01 00:00:00 INFO A: b"})", &time,
      &text));
  EXPECT_EQ(text, "24/01/01 00:00:00 INFO A: b");
  EXPECT_EQ(FormatTimestamp(time.time_ns), "2024-01-01T00:00:00.000Z");
  EXPECT_TRUE(parser_.ParseTextPayload(R"({"message":"m","timestamp":1700000000500})", &time, &text));
  EXPECT_EQ(text, "m");
  EXPECT_EQ(time.time_ns, 1'700'000'000'500'000'000);
  EXPECT_FALSE(parser_.ParseTextPayload(R"({"message":"m","level":"INFO"})", &time, &text)) << "a record";
}

}  // namespace
}  // namespace sparkprof
