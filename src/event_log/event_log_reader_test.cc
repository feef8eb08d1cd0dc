// SPDX-License-Identifier: Apache-2.0
#include "event_log/event_log_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/testing/compressed.h"

namespace sparkprof {
namespace {

std::string Log(const std::string& application, int tasks, bool ends = true) {
  std::string log = "{\"Event\":\"SparkListenerLogStart\",\"Spark Version\":\"3.5.7\"}\n";
  log += "{\"Event\":\"SparkListenerApplicationStart\",\"App Name\":\"n\",\"App ID\":\"" + application +
         "\",\"Timestamp\":1000,\"User\":\"u\"}\n";
  for (int task = 0; task < tasks; ++task) {
    log +=
        "{\"Event\":\"SparkListenerTaskEnd\",\"Stage ID\":0,\"Stage Attempt ID\":0,\"Task End Reason\":{\"Reason\":"
        "\"Success\"},\"Task Info\":{\"Task ID\":" +
        std::to_string(task) +
        ",\"Index\":0,\"Launch Time\":1000,\"Executor ID\":\"1\",\"Host\":\"h\",\"Finish Time\":2000}}\n";
  }
  if (ends) log += "{\"Event\":\"SparkListenerApplicationEnd\",\"Timestamp\":3000}\n";
  return log;
}

Input InputOf(const std::string& path, std::string content) {
  Input input;
  input.path = path;
  input.kind = InputKind::kEventLog;
  input.parts.push_back(
      {path, [content = std::move(content)] { return Result<std::unique_ptr<ByteSource>>(StringSource(content)); }});
  return input;
}

EventLogs Read(const std::vector<Input>& inputs, const EventLogOptions& options = {}) {
  std::vector<const Input*> pointers;
  for (const Input& input : inputs) pointers.push_back(&input);
  return ReadEventLogs(pointers, options);
}

TEST(EventLogReader, SeveralLogsAreReadAtOnceEachIntoItsApplication) {
  std::vector<Input> inputs;
  for (int log = 0; log < 20; ++log) {
    inputs.push_back(InputOf("log" + std::to_string(log), Zstd(Log("app-" + std::to_string(log), log))));
  }
  const EventLogs logs = Read(inputs, {.lines = {}, .threads = 4});
  ASSERT_EQ(logs.applications.size(), 20u);
  for (size_t log = 0; log < 20; ++log) {
    EXPECT_EQ(logs.applications[log].id, "app-" + std::to_string(log));
    EXPECT_EQ(logs.applications[log].tasks.Size(), log);
    EXPECT_TRUE(logs.applications[log].complete);
    EXPECT_EQ(logs.logs[log].problem, "");
  }
}

TEST(EventLogReader, LogsThatWerePutTogetherAreSeveralApplications) {
  const EventLogs logs = Read({InputOf("both", Log("app-1", 3) + Log("app-2", 5))});
  ASSERT_EQ(logs.applications.size(), 2u);
  EXPECT_EQ(logs.applications[0].tasks.Size(), 3u);
  EXPECT_EQ(logs.applications[1].tasks.Size(), 5u);
}

TEST(EventLogReader, OfTwoCopiesTheOneWithMoreCounts) {
  const EventLogs logs = Read({InputOf("app-1.inprogress", Log("app-1", 3, false)), InputOf("app-1", Log("app-1", 5))});
  ASSERT_EQ(logs.applications.size(), 1u);
  EXPECT_EQ(logs.applications[0].tasks.Size(), 5u);
  EXPECT_EQ(logs.logs[0].same_as, "app-1");
  EXPECT_EQ(logs.logs[1].same_as, "");
}

TEST(EventLogReader, ACutLogGivesWhatIsBeforeTheCut) {
  const std::string whole = Log("app-1", 2000);
  const std::string compressed = Zstd(whole);
  size_t most = 0;
  for (size_t size = 9; size < compressed.size(); size += 41) {
    const EventLogs logs = Read({InputOf("cut.zstd", compressed.substr(0, size))});
    ASSERT_EQ(logs.applications.size(), 1u);
    EXPECT_FALSE(logs.applications[0].complete);
    EXPECT_NE(logs.logs[0].problem.find("cut.zstd"), std::string::npos) << logs.logs[0].problem;
    EXPECT_LE(logs.logs[0].damaged_lines, 1);
    most = std::max(most, logs.applications[0].tasks.Size());
  }
  EXPECT_GT(most, 0u);
  for (size_t size = 1; size < 2000; size += 7) {
    const EventLogs logs = Read({InputOf("plain", whole.substr(0, size))});
    EXPECT_LE(logs.logs[0].damaged_lines, 1);
  }
}

TEST(EventLogReader, ALineBeyondTheLimitAndLinesOfRubbishCostThemselvesOnly) {
  std::string log = Log("app-1", 2, false);
  log += "{\"Event\":\"" + std::string(5000, 'x') + "\"}\nrubbish\n{\"Event\":\"SparkListenerTaskEnd\"}\n";
  log += "{\"Event\":\"SparkListenerApplicationEnd\",\"Timestamp\":3000}";
  const EventLogs logs =
      Read({InputOf("app-1", log)}, {.lines = {.block_bytes = 256, .max_line_bytes = 1000}, .threads = 1});
  EXPECT_EQ(logs.applications[0].tasks.Size(), 2u);
  EXPECT_TRUE(logs.applications[0].ended);
  EXPECT_EQ(logs.logs[0].damaged_lines, 2);
  EXPECT_EQ(logs.logs[0].dropped_lines, 1);
}

TEST(EventLogReader, AnApplicationWithoutAnIdTakesItsInputsOrItsFilesName) {
  const std::string log = "{\"Event\":\"SparkListenerJobStart\",\"Job ID\":1}\n";
  Input named = InputOf("folder/a", log);
  named.application_id = "app-7";
  const EventLogs logs = Read({named, InputOf("folder/b", log)});
  EXPECT_EQ(logs.applications[0].id, "app-7");
  EXPECT_EQ(logs.applications[1].id, "b");
}

}  // namespace
}  // namespace sparkprof
