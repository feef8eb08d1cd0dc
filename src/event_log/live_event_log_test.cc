// SPDX-License-Identifier: Apache-2.0
#include "event_log/live_event_log.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/byte_source.h"
#include "base/testing/compressed.h"
#include "base/testing/folder_test.h"

namespace sparkprof {
namespace {

constexpr EventLogWindow kAll{.recent_bytes = int64_t{1} << 20, .whole_bytes = int64_t{1} << 20};

const std::string kBegin =
    R"({"Event":"SparkListenerLogStart","Spark Version":"4.1.1"})"
    "\n"
    R"({"Event":"SparkListenerApplicationStart","App Name":"stream","App ID":"app-1","Timestamp":1700000000000,"User":"ana"})"
    "\n";

std::string JobStart(int id) {
  return R"({"Event":"SparkListenerJobStart","Job ID":)" + std::to_string(id) +
         R"(,"Submission Time":1700000001000,"Stage Infos":[],"Stage IDs":[],"Properties":{"spark.sql.execution.id":"3"}})" +
         "\n";
}

std::string SqlStart() {
  return R"({"Event":"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart","executionId":3,"description":"q",)"
         R"("details":"","physicalPlanDescription":"","sparkPlanInfo":{"nodeName":"Scan","simpleString":"","children":[],)"
         R"("metadata":{},"metrics":[]},"time":1700000001000})"
         "\n";
}

class LiveEventLogTest : public FolderTest {
 protected:
  std::string Append(const std::string& name, std::string_view text) {
    const std::string path = Path(name);
    std::ofstream(path, std::ios::binary | std::ios::app) << text;
    return path;
  }
};

TEST_F(LiveEventLogTest, LinesCountOnceTheyAreComplete) {
  const std::string path = Append("log", kBegin + JobStart(1));
  LiveEventLog log({path}, kAll);
  EXPECT_EQ(log.Snapshot().id, "app-1");
  EXPECT_EQ(log.Snapshot().jobs.size(), 1U);
  const std::string next = JobStart(2);
  Append("log", next.substr(0, 20));
  ASSERT_TRUE(log.Update({path}));
  EXPECT_EQ(log.Snapshot().jobs.size(), 1U);
  EXPECT_EQ(log.Snapshot().damaged_events, 0);
  Append("log", next.substr(20));
  ASSERT_TRUE(log.Update({path}));
  EXPECT_EQ(log.Snapshot().jobs.size(), 2U);
  EXPECT_FALSE(log.Snapshot().complete);
}

TEST_F(LiveEventLogTest, ASnapshotDoesNotChangeThoseThatFollow) {
  const std::string path = Append("log", kBegin + SqlStart() + JobStart(1));
  LiveEventLog log({path}, kAll);
  for (int i = 0; i < 2; ++i) {
    const Application application = log.Snapshot();
    ASSERT_EQ(application.sql_executions.size(), 1U);
    EXPECT_EQ(application.sql_executions[0].jobs, std::vector<int64_t>{1});
    EXPECT_TRUE(application.notices.empty());
  }
}

TEST_F(LiveEventLogTest, NewFilesOfARolledLogAreReadOn) {
  const std::string first = Append("events_1", kBegin + JobStart(1));
  LiveEventLog log({first}, kAll);
  Append("events_1", JobStart(2));
  const std::string second = Append("events_2", JobStart(3));
  ASSERT_TRUE(log.Update({first, second}));
  EXPECT_EQ(log.Snapshot().jobs.size(), 3U);
  EXPECT_FALSE(log.Update({second})) << "a file is gone";
}

TEST_F(LiveEventLogTest, OfACompressedFileOnlyNewEventsAreAdded) {
  const std::string path = Append("log.zstd", Zstd(kBegin + JobStart(1)));
  LiveEventLog log({path}, kAll);
  const std::string frame = Zstd(JobStart(2));
  Append("log.zstd", frame.substr(0, frame.size() / 2));
  ASSERT_TRUE(log.Update({path}));
  EXPECT_EQ(log.Snapshot().jobs.size(), 1U);
  Append("log.zstd", frame.substr(frame.size() / 2));
  ASSERT_TRUE(log.Update({path}));
  EXPECT_EQ(log.Snapshot().jobs.size(), 2U);
  EXPECT_EQ(log.Snapshot().damaged_events, 0);
}

std::string JobStarts(int first, int end) {
  std::string lines;
  for (int id = first; id < end; ++id) lines += JobStart(id);
  return lines;
}

TEST_F(LiveEventLogTest, OfACompressedFileOnlyNewFramesAndBlocksAreRead) {
  const std::string lz4_text = kBegin + JobStarts(0, 1'000);
  for (const bool is_zstd : {true, false}) {
    // A block of lz4 may end within a line.
    const std::string first = lz4_text.substr(0, lz4_text.size() - 50), second = lz4_text.substr(first.size());
    const std::string name = is_zstd ? "log.zstd" : "log.lz4";
    const auto compress = is_zstd ? &Zstd : &Lz4Chunk;
    const std::string path = Append(name, InBlocks(first, 1'000, compress));
    LiveEventLog log({path}, kAll);
    EXPECT_EQ(log.Snapshot().jobs.size(), 999U);
    const std::string next = compress(second);
    Append(name, next);
    const uint64_t before = BytesReadFromFiles();
    ASSERT_TRUE(log.Update({path}));
    EXPECT_LE(BytesReadFromFiles() - before, next.size() + (8 << 10)) << "the first bytes of the file tell its codec";
    EXPECT_EQ(log.Snapshot().jobs.size(), 1'000U);
    // The file is seen with every part of what is written next.
    const std::string more = compress(JobStart(1'000)) + compress(JobStart(1'001));
    for (const char byte : more) {
      Append(name, std::string(1, byte));
      ASSERT_TRUE(log.Update({path}));
    }
    EXPECT_EQ(log.Snapshot().jobs.size(), 1'002U);
    EXPECT_EQ(log.Snapshot().damaged_events, 0);
  }
}

TEST_F(LiveEventLogTest, ACompressedFileBeginsWithItsWindow) {
  for (const bool is_zstd : {true, false}) {
    const std::string name = is_zstd ? "log.zstd" : "log.lz4";
    const auto compress = is_zstd ? &Zstd : &Lz4Chunk;
    const std::string path = Append(name, InBlocks(kBegin + JobStarts(0, 5'000), 1'000, compress));
    LiveEventLog log({path}, {.recent_bytes = 100'000, .whole_bytes = 200'000});
    EXPECT_EQ(log.Snapshot().notices.size(), 1U) << "it is the window";
    Append(name, compress(JobStarts(5'000, 5'010)));
    ASSERT_TRUE(log.Update({path})) << "the window is not longer than it may be";
    const Application application = log.Snapshot();
    EXPECT_EQ(application.jobs.size(), 5'010U) << "each is in the window, or had not ended before it";
    EXPECT_EQ(application.damaged_events, 0);
  }
}

TEST_F(LiveEventLogTest, AFileThatCannotBeEnteredIsReadOn) {
  const std::string path = Append("log.zstd", Zstd(Zstd(kBegin + JobStart(1))));
  LiveEventLog log({path}, kAll);
  EXPECT_EQ(log.Snapshot().jobs.size(), 1U);
  Append("log.zstd", Zstd(Zstd(JobStart(2))));
  ASSERT_TRUE(log.Update({path}));
  EXPECT_EQ(log.Snapshot().jobs.size(), 2U);
}

TEST_F(LiveEventLogTest, AFileThatBecameShorterOrALogThatBecameTooLongIsReadAnew) {
  const std::string path = Append("log", kBegin + JobStart(1));
  const EventLogWindow small{.recent_bytes = 200, .whole_bytes = static_cast<int64_t>(kBegin.size()) + 500};
  LiveEventLog log({path}, small);
  Append("log", JobStart(2) + JobStart(3) + JobStart(4));
  EXPECT_FALSE(log.Update({path}));
  EXPECT_EQ(LiveEventLog({path}, small).Snapshot().jobs.back().id, 4);
  EXPECT_EQ(LiveEventLog({path}, small).Snapshot().notices.size(), 1U) << "it is the window";
  LiveEventLog another({path}, kAll);
  std::filesystem::resize_file(path, kBegin.size());
  EXPECT_FALSE(another.Update({path}));
}

}  // namespace
}  // namespace sparkprof
