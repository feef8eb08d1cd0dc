// SPDX-License-Identifier: Apache-2.0
#include "text_log/log_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/time.h"

namespace sparkprof {
namespace {

struct Kept {
  int64_t time_ms;
  LogLevel level;
  std::string message;
  std::string continuation;
  int64_t line;
  int64_t lines;
};

class Keeper : public LogRecordHandler {
 public:
  void OnRecord(const LogRecord& record) override {
    records.push_back({record.time_ns / kNanosPerMilli, record.level, std::string(record.message),
                       std::string(record.continuation), record.line, record.line_count});
  }
  std::vector<Kept> records;
};

std::vector<Kept> Read(const std::string& text, size_t lines_a_block = SIZE_MAX, LogReaderOptions options = {}) {
  Keeper keeper;
  LogReader reader(&keeper, options);
  for (size_t begin = 0; begin < text.size();) {
    size_t end = begin;
    for (size_t i = 0; i < lines_a_block && end < text.size(); ++i)
      end = std::min(text.find('\n', end), text.size() - 1) + 1;
    reader.AddLines(std::string(text.substr(begin, end - begin)));  // memory of its own: the block goes away
    begin = end;
  }
  reader.Finish();
  return keeper.records;
}

constexpr const char* kFailure =
    "24/01/01 10:00:00 ERROR Executor: Exception in task 0.0 in stage 0.0 (TID 0)\n"
    "org.apache.spark.api.python.PythonException: Traceback (most recent call last):\n"
    "  File \"/home/me/job.py\", line 3, in f\n"
    "    return 1 / x\n"
    "ValueError: first\n"
    "second line of the message\n"
    "\n"
    "\tat org.apache.spark.Some.method(Some.scala:1)\n"
    "Caused by: java.io.IOException: disk\n"
    "\t... 3 more\n"
    "24/01/01 10:00:01 INFO Executor: next\n";

TEST(LogReaderTest, AStackTraceBelongsToItsRecordWhereverABlockEnds) {
  for (const size_t lines_a_block : {1, 2, 3, 5, 100}) {
    const std::vector<Kept> records = Read(kFailure, lines_a_block);
    ASSERT_EQ(records.size(), 2u) << lines_a_block;
    EXPECT_EQ(records[0].lines, 10);
    EXPECT_NE(records[0].continuation.find("second line of the message\n\n\tat org"), std::string::npos);
    EXPECT_TRUE(records[0].continuation.ends_with("\t... 3 more"));
    EXPECT_EQ(records[1].message, "next");
    EXPECT_EQ(records[1].line, 11);
  }
}

TEST(LogReaderTest, OutputBetweenRecordsBelongsToNone) {
  const std::vector<Kept> records = Read(
      "2019-02-17 16:21:14 WARN  NativeCodeLoader:62 - Unable to load\n"
      "******************\n"
      "2019-02-17T16:21:15.035\n"
      "2019-02-17 16:21:15 INFO  SparkContext:54 - Running\n"
      "(a,449985000)\n");
  ASSERT_EQ(records.size(), 5u);
  EXPECT_EQ(records[0].continuation, "");
  EXPECT_EQ(records[1].message, "******************");
  EXPECT_EQ(records[1].line, 2);
  EXPECT_EQ(records[4].level, LogLevel::kNone);
  EXPECT_EQ(records[4].time_ms, records[3].time_ms);
}

TEST(LogReaderTest, ATracebackThatNobodyLoggedIsAnError) {
  const std::vector<Kept> records = Read(
      "24/01/01 10:00:00 INFO SparkContext: Running\n"
      "Traceback (most recent call last):\n"
      "  File \"job.py\", line 1, in <module>\n"
      "ValueError: bad\n"
      "24/01/01 10:00:01 INFO SparkContext: Invoking stop() from shutdown hook\n");
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[1].level, LogLevel::kError);
  EXPECT_EQ(records[1].lines, 3);
}

TEST(LogReaderTest, KubernetesLinesAreUnwrappedAndTheirTimesUsed) {
  const std::vector<Kept> records = Read(
      "2024-01-01T08:00:00.500000000Z stderr F 24/01/01 10:00:00 INFO A: one\n"
      "2024-01-01T08:00:01.000000000Z stderr P 24/01/01 10:00:01 INFO A: two \n"
      "2024-01-01T08:00:01.000000000Z stderr F and a half\n"
      "2024-01-01T08:00:02.000000000Z stderr F 24/01/01 10:00:02 ERROR A: three\n"
      "2024-01-01T08:00:02.000000000Z stderr F java.io.IOException: disk\n"
      "2024-01-01T08:00:02.000000000Z stderr F \tat A.b(A.java:1)\n");
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].time_ms, 1704096000500);
  EXPECT_EQ(records[1].message, "two and a half");
  EXPECT_EQ(records[2].continuation, "java.io.IOException: disk\n\tat A.b(A.java:1)");
}

TEST(LogReaderTest, PartsOfALineAreJoinedAcrossLinesOfTheOtherStream) {
  const std::vector<Kept> records = Read(
      "2024-01-01T08:00:00.000000000Z stderr P 24/01/01 10:00:00 INFO A: o\n"
      "2024-01-01T08:00:00.000000000Z stderr P n\n"
      "2024-01-01T08:00:00.000000000Z stderr F e\n"
      "2024-01-01T08:00:01.000000000Z stderr P 24/01/01 10:00:01 INFO A: t\n"
      "2024-01-01T08:00:01.000000000Z stdout F printed\n"
      "2024-01-01T08:00:01.000000000Z stderr F wo\n"
      "2024-01-01T08:00:02.000000000Z stderr P 24/01/01 10:00:02 INFO A: th\n"
      "2024-01-01T08:00:02.000000000Z stderr P ree\n");
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(records[0].message, "one");
  EXPECT_EQ(records[0].line, 1);
  EXPECT_EQ(records[1].message, "printed");
  EXPECT_EQ(records[1].line, 5);
  EXPECT_EQ(records[2].message, "two");
  EXPECT_EQ(records[3].message, "three");
  EXPECT_EQ(records[3].line, 7);
}

TEST(LogReaderTest, AnExceptionThatEndsAThreadIsNoPartOfTheErrorBeforeIt) {
  const std::vector<Kept> records = Read(
      "24/01/01 10:00:00 ERROR A: one\n"
      "java.io.IOException: disk\n"
      "\tat A.b(A.java:1)\n"
      "\n"
      "Exception in thread \"main\" java.lang.OutOfMemoryError: Java heap space\n"
      "\tat B.c(B.java:2)\n");
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].lines, 3);
  EXPECT_EQ(records[1].level, LogLevel::kError);
  EXPECT_EQ(records[1].lines, 2);
}

TEST(LogReaderTest, AnExceptionThatWasPastedAloneIsAnError) {
  const std::vector<Kept> records = Read("java.io.IOException: disk\n\tat A.b(A.java:1)\nCaused by: x.Y: z\n");
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].level, LogLevel::kError);
  EXPECT_EQ(records[0].lines, 3);
}

TEST(LogReaderTest, RecordsBehindProgressBarsAreRead) {
  for (const std::string bar : {"[Stage 1:>    (0 + 80) / 83]", "[Stage 1:>  (0 + 1) / 2][Stage 2:>  (0 + 1) / 2]",
                                "\r[Stage 1:>    (0 + 80) / 83]\r[Stage 1:=>   (1 + 80) / 83]", "\r       \r"}) {
    const std::vector<Kept> records =
        Read(bar + "24/01/01 10:00:00 ERROR A: one\n" + bar + "\n" + bar + "24/01/01 10:00:01 INFO A: two\r" + bar);
    EXPECT_EQ(records.front().message, "one") << bar;
    EXPECT_EQ(records.back().message, "two") << bar;
    EXPECT_EQ(records.back().line, 3);
  }
}

TEST(LogReaderTest, AStackTraceInOneLineIsDivided) {
  for (const std::string line :
       {"<27>Nov 28 07:00:01 h1 job[8]: 26/11/28 07:00:01 WARN TaskSetManager: Lost task 0.0 in stage "
        "0.0 (TID 0) (h executor 1): java.io.IOException: x#012#011at A.b(A.java:1)#012#011at C.d(C.java:2)\n",
        "ts=2026-11-28T07:00:01Z level=warn logger=TaskSetManager msg=\"Lost task 0.0 in stage 0.0 (TID 0) "
        "(h executor 1): java.io.IOException: x\\n\\tat A.b(A.java:1)\\n\\tat C.d(C.java:2)\"\n"}) {
    const std::vector<Kept> records = Read(line);
    ASSERT_EQ(records.size(), 1u) << line;
    EXPECT_TRUE(records[0].message.ends_with("java.io.IOException: x")) << records[0].message;
    EXPECT_TRUE(records[0].continuation.starts_with("\tat A.b(A.java:1)\n\tat C.d(C.java:2)"))
        << records[0].continuation;
  }
}

TEST(LogReaderTest, LayoutsAreInferredAgainWhereTheyChange) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "24/01/01 10:00:00 INFO Executor: Running task 0.0 in stage 0.0 (TID 1)\n";
  for (int i = 0; i < 20; ++i) text += "Executor @ Running task 0.0 in stage 0.0 (TID 1) (24/01/01 10:00:01)\n";
  const std::vector<Kept> records = Read(text, 50);
  EXPECT_EQ(records.back().message, "Running task 0.0 in stage 0.0 (TID 1)");
  EXPECT_EQ(records.back().time_ms, 1704103201000);
}

TEST(LogReaderTest, RowsOfSeveralLinesTeachNoOtherLayout) {
  const std::vector<Kept> records = Read(
      "timestamp,message\n"
      "1704103200000,\"2024-01-01 10:00:00,000 INFO [t-1] scheduler.TaskSetManager (Logging.scala:logInfo(61)): "
      "Starting "
      "task 0.0 in stage 0.0 (TID 0) (h, executor 1, partition 0, ANY, 9 bytes) \"\n"
      "1704103201000,\"2024-01-01 10:00:01,000 WARN [t-2] scheduler.TaskSetManager (Logging.scala:logWarn(73)): Lost "
      "task "
      "0.0 in stage 0.0 (TID 0) (h executor 1): java.io.IOException: x\n"
      "\tat A.b(A.java:1)\n"
      "\t... 8 more\"\n"
      "1704103202000,\"2024-01-01 10:00:02,000 ERROR [t-2] scheduler.TaskSetManager (Logging.scala:logError(77)): Task "
      "0 "
      "in stage 0.0 failed 4 times; aborting job\"\n");
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(records[2].level, LogLevel::kWarn);
  EXPECT_EQ(records[2].message, "Lost task 0.0 in stage 0.0 (TID 0) (h executor 1): java.io.IOException: x");
  EXPECT_EQ(records[2].continuation, "\tat A.b(A.java:1)\n\t... 8 more");
  EXPECT_EQ(records[3].message, "Task 0 in stage 0.0 failed 4 times; aborting job");
}

TEST(LogReaderTest, RowsOfATableMayHaveSeveralLines) {
  const std::vector<Kept> records = Read(
      "time,level,text\n"
      "2024-01-01 10:00:00,INFO,\"Running task 0.0 in stage 0.0 (TID 1)\"\n"
      "2024-01-01 10:00:01,ERROR,\"Exception in task 0.0 in stage 0.0 (TID 1)\njava.io.IOException: disk\n\tat "
      "A.b(A.java:1)\"\n"
      "2024-01-01 10:00:02,INFO,next\n");
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(records[2].message, "Exception in task 0.0 in stage 0.0 (TID 1)");
  EXPECT_EQ(records[2].continuation, "java.io.IOException: disk\n\tat A.b(A.java:1)");
  EXPECT_EQ(records[2].line, 3);
  EXPECT_EQ(records[3].line, 6);
  EXPECT_EQ(records[3].time_ms, 1704103202000);
}

TEST(LogReaderTest, TracebacksThatWerePrintedOneAfterAnotherAreTwoUnlessOneIsTheOthersCause) {
  const std::string traceback = "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nValueError: bad\n";
  EXPECT_EQ(Read(traceback + traceback).size(), 2u);
  EXPECT_EQ(
      Read(traceback + "\nDuring handling of the above exception, another exception occurred:\n\n" + traceback).size(),
      1u);
  EXPECT_EQ(Read("24/01/01 10:00:00 ERROR A: one\n" + traceback).size(), 1u);
}

TEST(LogReaderTest, DockerLinesAreUnwrapped) {
  const std::vector<Kept> records =
      Read(R"({"log":"24/01/01 10:00:00 INFO A: \"one\"\n","stream":"stderr","time":"2024-01-01T08:00:00.5Z"})"
           "\n");
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].message, "\"one\"");
  EXPECT_EQ(records[0].time_ms, 1704096000500);
}

TEST(LogReaderTest, StructuredLinesAreRecords) {
  const std::vector<Kept> records = Read(
      R"json({"ts":"2025-03-18T05:33:03.487Z","level":"ERROR","msg":"Exception in task 0.0 in stage 90.0 (TID 127)",)json"
      R"json("context":{"task_name":"task 0.0 in stage 90.0 (TID 127)"},"exception":{"class":"java.io.IOException",)json"
      R"json("msg":"disk","stacktrace":[{"class":"A","method":"b","file":"A.java","line":"7"}]},"logger":"Executor"})json"
      "\n"
      R"json({"pid": 7510, "epochMillis": 1550397003812})json"
      "\n");
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].time_ms, 1742275983487);
  EXPECT_EQ(records[0].level, LogLevel::kError);
  EXPECT_EQ(records[0].continuation, "java.io.IOException: disk\n\tat A.b(A.java:7)");
  EXPECT_EQ(records[1].level, LogLevel::kNone);
}

TEST(LogReaderTest, StructuredLinesMayCountFromTheEpoch) {
  const std::vector<Kept> records =
      Read(R"({"ts":1742275983,"level":"INFO","msg":"seconds"})"
           "\n"
           R"({"timeMillis":1742275983487,"level":"INFO","loggerName":"L","message":"milliseconds"})"
           "\n"
           R"({"instant":{"epochSecond":1742275983,"nanoOfSecond":487000000},"level":"INFO","message":"both"})"
           "\n"
           R"({"ts":1e300,"level":"INFO","msg":"neither"})"
           "\n");
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(records[0].time_ms, 1742275983000);
  EXPECT_EQ(records[1].time_ms, 1742275983487);
  EXPECT_EQ(records[2].time_ms, 1742275983487);
  EXPECT_EQ(records[3].time_ms, 1742275983487);  // time of the previous record
}

TEST(LogReaderTest, FramesOfPythonHaveNoClass) {
  const std::vector<Kept> records =
      Read(R"({"ts":"2025-03-18T05:33:03Z","level":"ERROR","msg":"m","exception":{"class":"Py4JJavaError","msg":"e",)"
           R"("stacktrace":[{"class":null,"method":"deco","file":"captured.py","line":"247"}]}})"
           "\n");
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].continuation, "Py4JJavaError: e\n\tat deco(captured.py:247)");
}

TEST(LogReaderTest, TheOffsetIsForTimesWithoutAZone) {
  const std::vector<Kept> records = Read(
      "24/01/01 10:00:00 INFO A: local\n"
      "2024-01-01T08:00:00.000Z INFO A: absolute\n",
      100, {.zone = LogZone::Ahead(2 * 3600 * kNanosPerSecond)});
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].time_ms, records[1].time_ms);
}

TEST(LogReaderTest, GarbageAndHugeLinesAreReadWithoutHarm) {
  std::string garbage(1 << 16, '\0');
  for (size_t i = 0; i < garbage.size(); ++i) garbage[i] = static_cast<char>(i * 2654435761U >> 7);
  const std::string text = "24/01/01 10:00:00 ERROR A: b\n\tat " + std::string(4 << 20, 'x') + "\n" + garbage +
                           "\n24/01/01 10:00:01 INFO A: after";
  const std::vector<Kept> records = Read(text);
  ASSERT_GE(records.size(), 2u);
  EXPECT_EQ(records.front().message, "b");
  EXPECT_LE(records.front().continuation.size(), LogReader::kMaxRecord);
  EXPECT_EQ(records.back().message, "after");
}

// Each line of the key in a record of its own, in all envelopes.
TEST(LogReaderTest, NoLineOfAPrivateKeyIsInARecord) {
  const std::vector<std::string> key = {"-----BEGIN RSA PRIVATE KEY-----",
                                        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj",
                                        "MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3Supplanted1111111111111111111111",
                                        "planted9Q==", "-----END RSA PRIVATE KEY-----"};
  const auto log = [&](const std::string& before, const std::string& after) {
    std::string text = before + "first" + after + "\n";
    for (const std::string& line : key) text += before + line + after + "\n";
    return text + before + "last" + after + "\n";
  };
  for (const std::string& text :
       {log("", ""), log("24/01/01 10:00:00 INFO Job: ", ""), log("2024-01-01T10:00:00.123456789Z stdout F ", ""),
        log(R"({"log":")", R"(\n","stream":"stdout","time":"2024-01-01T10:00:00.1Z"})"),
        log(R"({"ts":"2024-01-01T10:00:00.123Z","level":"INFO","msg":")", R"(","logger":"Job"})"), log("    ", "\r"),
        log("[pod/spark-1/driver] 24/01/01 10:00:00 WARN Job: ", ""), log("24/01/01 10:00:00 ERROR Job: key:\n", "")}) {
    for (const size_t lines_a_block : {size_t{1}, size_t{3}, SIZE_MAX}) {
      std::string all;
      for (const Kept& record : Read(text, lines_a_block)) all += record.message + "\n" + record.continuation + "\n";
      EXPECT_EQ(all.find("MIIE"), std::string::npos) << all;
      EXPECT_EQ(all.find("planted"), std::string::npos) << all;
      EXPECT_NE(all.find("last"), std::string::npos) << all;
    }
  }
}

TEST(LogReaderTest, ThePasswordOnTheNextLineIsNotInARecord) {
  for (const std::string header : {"", "24/01/01 10:00:00 INFO Job: "}) {
    const std::vector<Kept> records = Read(header + "PASSWORD:\n" + header + "hunter2\n" + header + "next\n");
    std::string all;
    for (const Kept& record : records) all += record.message + "\n" + record.continuation + "\n";
    EXPECT_EQ(all.find("hunter2"), std::string::npos) << all;
    EXPECT_NE(all.find("next"), std::string::npos) << all;
  }
}

}  // namespace
}  // namespace sparkprof
