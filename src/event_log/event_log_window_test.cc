// SPDX-License-Identifier: Apache-2.0
#include "event_log/event_log_window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/testing/compressed.h"
#include "base/testing/folder_test.h"
#include "base/time.h"
#include "event_log/event_log_reader.h"

namespace sparkprof {
namespace {

constexpr int64_t kStartMs = 1'700'000'000'000;
constexpr int64_t kMinuteMs = 60'000;
constexpr int64_t kHour = 3'600 * kNanosPerSecond;
constexpr int64_t kEventsBytes = 100'000;  // more than a minute of events

std::string Ms(int64_t minute) { return std::to_string(kStartMs + minute * kMinuteMs); }

std::string Begin() {
  return R"({"Event":"SparkListenerLogStart","Spark Version":"4.1.1"})"
         "\n"
         R"({"Event":"SparkListenerApplicationStart","App Name":"stream","App ID":"app-1","Timestamp":)" +
         Ms(0) + R"(,"User":"ana"})" + "\n";
}

std::string ExecutorAdded(const std::string& id, int64_t minute) {
  return R"({"Event":"SparkListenerExecutorAdded","Timestamp":)" + Ms(minute) + R"(,"Executor ID":")" + id +
         R"(","Executor Info":{"Host":"node","Total Cores":4}})" + "\n";
}

std::string ExecutorRemoved(const std::string& id, int64_t minute) {
  return R"({"Event":"SparkListenerExecutorRemoved","Timestamp":)" + Ms(minute) + R"(,"Executor ID":")" + id +
         R"(","Removed Reason":"idle"})" + "\n";
}

std::string JobStart(int64_t id, int64_t minute, size_t padding = 0) {
  return R"({"Event":"SparkListenerJobStart","Job ID":)" + std::to_string(id) + R"(,"Submission Time":)" + Ms(minute) +
         R"(,"Stage Infos":[],"Stage IDs":[],"Properties":{"padding":")" + std::string(padding, 'x') + "\"}}\n";
}

std::string JobEnd(int64_t id, int64_t minute) {
  return R"({"Event":"SparkListenerJobEnd","Job ID":)" + std::to_string(id) + R"(,"Completion Time":)" + Ms(minute) +
         R"(,"Job Result":{"Result":"JobSucceeded"}})" + "\n";
}

std::string TaskEnd(int64_t id, const std::string& executor, int64_t minute) {
  return R"({"Event":"SparkListenerTaskEnd","Stage ID":0,"Stage Attempt ID":0,"Task End Reason":{"Reason":"Success"},)"
         R"("Task Info":{"Task ID":)" +
         std::to_string(id) + R"(,"Index":0,"Launch Time":)" + Ms(minute) + R"(,"Executor ID":")" + executor +
         R"(","Host":"node","Finish Time":)" + Ms(minute) + "}}\n";
}

std::string QueryStarted(const std::string& run, int64_t minute) {
  return R"({"Event":"org.apache.spark.sql.streaming.StreamingQueryListener$QueryStartedEvent","id":"a","runId":")" +
         run + R"(","name":")" + run + R"(","timestamp":")" +
         FormatTimestamp((kStartMs + minute * kMinuteMs) * 1'000'000) + "\"}\n";
}

std::string SqlStart(int64_t id, int64_t minute) {
  return R"({"Event":"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart","executionId":)" +
         std::to_string(id) +
         R"(,"description":"query","details":"","physicalPlanDescription":"","sparkPlanInfo":)"
         R"({"nodeName":"Scan","simpleString":"","children":[],"metadata":{},"metrics":[]},"time":)" +
         Ms(minute) + "}\n";
}

// A job in each minute, with the ID of the minute; each has 2 KB of events.
std::string Minutes(int64_t first, int64_t end) {
  constexpr size_t kPadding = 1'700;
  std::string lines;
  for (int64_t minute = first; minute < end; ++minute)
    lines += JobStart(minute, minute, kPadding) + JobEnd(minute, minute);
  return lines;
}

// Frames that end with a line, as Spark writes them.
std::string InFrames(std::string_view text) {
  std::string frames;
  while (!text.empty()) {
    const size_t size = std::min(text.find('\n', 10'000), text.size() - 1) + 1;
    frames += Zstd(text.substr(0, size));
    text.remove_prefix(size);
  }
  return frames;
}

class EventLogWindowTest : public FolderTest {
 protected:
  InputPart Part(const std::string& name, const std::string& text) {
    const std::string path = Path(name);
    std::ofstream(path, std::ios::binary) << text;
    return {path, [path] { return OpenFileSource(path); }};
  }

  Application Read(std::vector<InputPart> parts, EventLogWindow window) {
    Input input;
    input.path = folder_;
    input.kind = InputKind::kEventLog;
    input.parts = std::move(parts);
    EventLogs logs = ReadEventLogs({&input}, {.lines = {}, .window = window, .threads = 1});
    EXPECT_EQ(logs.logs[0].damaged_lines, 0);
    EXPECT_EQ(logs.applications.size(), 1U);
    note_ = logs.logs[0].window;
    return std::move(logs.applications[0]);
  }

  std::string note_;
};

TEST_F(EventLogWindowTest, TheLastHourOfAPlainFileIsFoundByItsTimes) {
  const InputPart part = Part("log", Begin() + Minutes(1, 1'000));
  const Application application = Read({part}, {.recent_ns = kHour});
  ASSERT_FALSE(application.jobs.empty());
  EXPECT_LE(application.jobs.front().id, 999 - 60);
  EXPECT_GE(application.jobs.front().id, 999 - 60 - 2 * 150) << "to two probes of 256 KiB";
  EXPECT_EQ(application.jobs.back().id, 999);
  EXPECT_EQ(application.id, "app-1");
  EXPECT_EQ(application.start_ns, application.jobs.front().submit_ns);
  EXPECT_FALSE(application.complete);
  ASSERT_EQ(application.notices.size(), 1U);
  EXPECT_NE(application.notices[0].notice.text.find("Only the events from 2023-11-15T"), std::string::npos)
      << application.notices[0].notice.text;
  EXPECT_NE(note_.find("only executors, queries and work that had not ended"), std::string::npos) << note_;
}

TEST_F(EventLogWindowTest, AWindowThatIsLongerThanTheLogIsAllOfIt) {
  const InputPart part = Part("log", Begin() + Minutes(1, 1'000));
  for (const int64_t recent_ns : {int64_t{0}, 20 * kHour}) {
    const Application application = Read({part}, {.recent_ns = recent_ns});
    EXPECT_EQ(application.jobs.size(), 999U);
    EXPECT_EQ(application.start_ns, kStartMs * 1'000'000);
    EXPECT_TRUE(application.notices.empty());
    EXPECT_EQ(note_, "");
  }
}

TEST_F(EventLogWindowTest, WholeFilesOfARolledLogAreLeftOut) {
  for (const bool compressed : {false, true}) {
    const auto text = [compressed](const std::string& lines) { return compressed ? Zstd(lines) : lines; };
    const std::vector<InputPart> parts = {Part("events_1", text(Begin() + Minutes(1, 100))),
                                          Part("events_2", text(Minutes(100, 200))),
                                          Part("events_3", text(Minutes(200, 300)))};
    const Application application = Read(parts, {.recent_ns = kHour / 2});
    EXPECT_EQ(application.jobs.front().id, 200);
    EXPECT_EQ(application.jobs.back().id, 299);
    EXPECT_EQ(application.id, "app-1");
  }
}

TEST_F(EventLogWindowTest, AWindowOfBytesBeginsWithALine) {
  const InputPart part = Part("log", Begin() + Minutes(1, 1'000));
  const Application application = Read({part}, {.recent_bytes = kEventsBytes});
  EXPECT_GE(application.jobs.size(), 40U);
  EXPECT_LE(application.jobs.size(), 60U);
  EXPECT_EQ(application.id, "app-1");
}

TEST_F(EventLogWindowTest, WhatHasNotEndedBeforeTheWindowIsKept) {
  const std::string before =
      Begin() + ExecutorAdded("1", 0) + ExecutorAdded("2", 0) + QueryStarted("runs", 0) + SqlStart(7, 0) +
      SqlStart(8, 0) + JobStart(5'000, 0) +
      R"({"Event":"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd","executionId":8,"time":)" + Ms(0) +
      "}\n" + ExecutorRemoved("1", 1);
  const Application application = Read({Part("log", before + Minutes(1, 1'000))}, {.recent_ns = kHour});
  ASSERT_EQ(application.executors.size(), 1U);
  EXPECT_EQ(application.executors[0].id, "2");
  EXPECT_EQ(application.executors[0].cores, 4);
  ASSERT_EQ(application.streaming_queries.size(), 1U);
  EXPECT_EQ(application.streaming_queries[0].start_ns, kStartMs * 1'000'000);
  ASSERT_EQ(application.sql_executions.size(), 1U);
  EXPECT_EQ(application.sql_executions[0].id, 7);
  EXPECT_EQ(application.jobs.front().id, 5'000);
}

TEST_F(EventLogWindowTest, OfAHugeLogOnlyTheHeadAndWhatIsJustBeforeTheWindowAreSearched) {
  const std::string window = TaskEnd(1, "works", 300) + Minutes(301, 400);
  const std::string log = Begin() + ExecutorAdded("gone", 0) + ExecutorAdded("works", 0) + QueryStarted("old", 0) +
                          JobStart(5'000, 0) + Minutes(1, 100) + ExecutorAdded("unseen", 100) + Minutes(101, 200) +
                          ExecutorAdded("late", 200) + Minutes(201, 220) + window;
  const Application application =
      Read({Part("log", log)},
           {.recent_bytes = static_cast<int64_t>(window.size()) + 1, .head_bytes = 10'000, .searched_bytes = 60'000});
  ASSERT_EQ(application.executors.size(), 2U);
  EXPECT_EQ(application.executors[0].id, "works") << "a task of the window runs on it";
  EXPECT_EQ(application.executors[1].id, "late");
  EXPECT_EQ(application.tasks.executor[0], 0);
  EXPECT_TRUE(application.streaming_queries.empty());
  EXPECT_EQ(application.jobs.front().id, 301) << "jobs of the head may have ended in what was not read";
  EXPECT_NE(note_.find("were not read"), std::string::npos) << note_;
}

TEST_F(EventLogWindowTest, DamageBeforeTheWindowIsSaid) {
  const std::string first = Zstd(Begin() + Minutes(1, 500));
  const Application application =
      Read({Part("events_1.zstd", first.substr(0, first.size() / 2)), Part("events_2.zstd", Zstd(Minutes(500, 1'000)))},
           {.recent_ns = kHour});
  EXPECT_EQ(application.jobs.back().id, 999);
  EXPECT_NE(note_.find("what is before was read only up to an error: "), std::string::npos) << note_;
}

TEST_F(EventLogWindowTest, TheLastHourOfACompressedFileIsFoundByItsTimes) {
  for (const bool is_zstd : {true, false}) {
    const std::string text = Begin() + Minutes(1, 1'000);
    const Application application = Read({Part("log", is_zstd ? InFrames(text) : Lz4(text))}, {.recent_ns = kHour});
    ASSERT_FALSE(application.jobs.empty());
    EXPECT_LE(application.jobs.front().id, 999 - 60);
    EXPECT_GE(application.jobs.front().id, 999 - 60 - 3 * 150) << "to two probes of 256 KiB, and their frames";
    EXPECT_EQ(application.jobs.back().id, 999);
    EXPECT_EQ(static_cast<int64_t>(application.jobs.size()), 1'000 - application.jobs.front().id) << "none is lost";
    EXPECT_EQ(application.id, "app-1");
    EXPECT_EQ(application.start_ns, application.jobs.front().submit_ns);
    EXPECT_NE(note_.find("work that had not ended"), std::string::npos) << note_;
  }
}

TEST_F(EventLogWindowTest, NoEventIsLostWhereACompressedFileIsEntered) {
  std::string text = Begin();
  for (int executor = 0; executor < 300; ++executor)
    text += ExecutorAdded(std::to_string(executor), executor) + Minutes(executor, executor + 1);
  for (const bool is_zstd : {true, false}) {
    const InputPart part = Part("log", is_zstd ? InFrames(text) : Lz4(text));
    for (int64_t bytes = 20'000; bytes < 500'000; bytes += 17'000) {
      const Application application = Read({part}, {.recent_bytes = bytes});
      EXPECT_EQ(application.executors.size(), 300U) << bytes;
      EXPECT_LT(application.jobs.size(), 300U) << bytes;
    }
  }
}

TEST_F(EventLogWindowTest, OfACompressedRolledLogTheLastFileIsEntered) {
  const std::vector<InputPart> parts = {Part("events_1", InFrames(Begin() + Minutes(1, 500))),
                                        Part("events_2", InFrames(Minutes(500, 1'000)))};
  const Application application = Read(parts, {.recent_bytes = kEventsBytes});
  EXPECT_GE(application.jobs.size(), 30U);
  EXPECT_LE(application.jobs.size(), 80U);
  EXPECT_EQ(application.jobs.back().id, 999);
  EXPECT_EQ(application.id, "app-1");
}

TEST_F(EventLogWindowTest, OfACompressedFileInProgressTheWindowEndsWithTheLastWholeFrame) {
  const std::string stored = InFrames(Begin() + Minutes(1, 1'000));
  const Application application =
      Read({Part("log.zstd", stored.substr(0, stored.size() - 10))}, {.recent_bytes = kEventsBytes});
  EXPECT_LT(application.jobs.back().id, 999);
  EXPECT_GT(application.jobs.back().id, 990);
  EXPECT_LE(application.jobs.size(), 80U);
}

TEST_F(EventLogWindowTest, ASingleFrameStaysWhole) {
  const Application application = Read({Part("log.zstd", Zstd(Begin() + Minutes(1, 1'000)))}, {.recent_ns = kHour});
  EXPECT_EQ(application.jobs.size(), 999U);
  EXPECT_NE(note_.find("read as a whole"), std::string::npos) << note_;
}

}  // namespace
}  // namespace sparkprof
