// SPDX-License-Identifier: Apache-2.0
#include "text_log/error_collector.h"

#include <gtest/gtest.h>

#include <string>

namespace sparkprof {
namespace {

std::vector<LogError> Collect(const std::string& text) {
  struct Handler : LogRecordHandler {
    void OnRecord(const LogRecord& record) override { errors.Add(record); }
    ErrorCollector errors;
  } handler;
  handler.errors.BeginFile("stderr");
  LogReader reader(&handler);
  reader.AddLines(text);
  reader.Finish();
  return handler.errors.Errors();
}

std::string JvmFailure(const std::string& second, int tid, const std::string& generated, int line) {
  return "24/01/01 10:00:" + second + " ERROR Executor: Exception in task 0.0 in stage 0.0 (TID " +
         std::to_string(tid) + ")\njava.lang.RuntimeException: outer\n\tat com.example.Job." + generated +
         "(Job.java:" + std::to_string(line) +
         ")\n\tat java.base/java.lang.Thread.run(Thread.java:840)\nCaused by: java.io.IOException: disk " +
         std::to_string(tid) + " full\n\tat com.example.Disk.write(Disk.java:7)\n\t... 3 more\n";
}

TEST(ErrorCollectorTest, TheSameFailureIsOneErrorWhateverItsNumbersAndGeneratedNames) {
  const std::vector<LogError> errors = Collect(
      JvmFailure("01", 4, "$$Lambda$12/0x00007f5a88f44000.apply", 12) +
      JvmFailure("02", 5, "$$Lambda$99/0x00007f5a11111111.apply", 13) +
      "24/01/01 10:00:03 WARN TaskSetManager: Lost task 0.0 in stage 0.0 (TID 5) (host executor 1): "
      "java.lang.RuntimeException: outer\n\tat com.example.Job.$$Lambda$99/0x00007f5a11111111.apply(Job.java:13)\n"
      "Caused by: java.io.IOException: disk 5 full\n\tat com.example.Disk.write(Disk.java:7)\n");
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].count, 3);
  EXPECT_EQ(errors[0].exception, "java.lang.RuntimeException");
  EXPECT_EQ(errors[0].root_cause, "java.io.IOException: disk 5 full");
  EXPECT_EQ(errors[0].level, LogLevel::kError);
  EXPECT_EQ(errors[0].where, (std::vector<std::string>{"stderr:1", "stderr:8", "stderr:15"}));
  EXPECT_EQ(errors[0].last_ns - errors[0].first_ns, 2'000'000'000);
}

TEST(ErrorCollectorTest, PlacesAreBoundedAndOccurrencesAreNot) {
  std::string log;
  for (int i = 0; i < 120; ++i) log += "24/01/01 10:00:01 WARN A: slow\n";
  const std::vector<LogError> errors = Collect(log);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].count, 120);
  EXPECT_EQ(errors[0].where.size(), ErrorCollector::kMaxPlaces);
}

TEST(ErrorCollectorTest, TimesAreThoseOfTheFirstAndTheLastInAnyOrder) {
  const std::vector<LogError> errors = Collect(
      "24/01/01 10:00:02 WARN A: slow 1\n24/01/01 10:00:03 ERROR A: slow 2\n24/01/01 10:00:01 WARN A: slow 3\n"
      "24/01/01 10:00:05 INFO A: slow 4\n");
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].message, "slow 2");
  EXPECT_EQ(errors[0].level, LogLevel::kError);
  EXPECT_EQ(errors[0].count, 3);
  EXPECT_EQ(errors[0].last_ns - errors[0].first_ns, 2'000'000'000);
}

TEST(ErrorCollectorTest, OtherFramesOfTheUsersCodeAreAnotherError) {
  EXPECT_EQ(Collect(JvmFailure("01", 4, "first", 12) + JvmFailure("02", 5, "second", 12)).size(), 2u);
}

TEST(ErrorCollectorTest, APythonExceptionIsTheRootOfTheJvmsThatCarriesIt) {
  const std::vector<LogError> errors = Collect(
      "24/01/01 10:00:01 ERROR Executor: Exception in task 1.0 in stage 0.0 (TID 1)\n"
      "org.apache.spark.api.python.PythonException: Traceback (most recent call last):\n"
      "  File \"/opt/spark/python/lib/pyspark.zip/pyspark/worker.py\", line 1247, in main\n"
      "    process()\n"
      "  File \"/home/me/job.py\", line 35, in flaky\n"
      "    raise ValueError(\"bad\")\n"
      "ValueError: bad\n"
      "\n"
      "\tat org.apache.spark.api.python.BasePythonRunner.read(PythonRunner.scala:572)\n");
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].exception, "org.apache.spark.api.python.PythonException");
  EXPECT_EQ(errors[0].root_cause, "ValueError: bad");
  EXPECT_NE(errors[0].stack.find("job.py"), std::string::npos);
}

TEST(ErrorCollectorTest, PythonsDirectCauseIsTheRoot) {
  const std::vector<LogError> errors = Collect(
      "Traceback (most recent call last):\n"
      "  File \"job.py\", line 1, in f\n"
      "KeyError: 'k'\n"
      "\n"
      "The above exception was the direct cause of the following exception:\n"
      "\n"
      "Traceback (most recent call last):\n"
      "  File \"job.py\", line 3, in g\n"
      "ValueError: no k\n");
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].root_cause, "KeyError: 'k'");
}

TEST(ErrorCollectorTest, NewestComesFirstAndMessagesWithoutExceptionsGroupByTheirWording) {
  const std::vector<LogError> errors = Collect(
      "24/01/01 10:00:01 WARN A: Disk 1 is slow\n"
      "24/01/01 10:00:02 WARN A: Network is slow\n"
      "24/01/01 10:00:03 INFO A: all is well, no error\n"
      "24/01/01 10:00:04 WARN A: Disk 2 is slow\n");
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_EQ(errors[0].message, "Disk 2 is slow");
  EXPECT_EQ(errors[0].count, 2);
  EXPECT_EQ(errors[1].message, "Network is slow");
}

}  // namespace
}  // namespace sparkprof
