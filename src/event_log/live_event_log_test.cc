// SPDX-License-Identifier: Apache-2.0
#include "event_log/live_event_log.h"

#include <gtest/gtest.h>
#include <unistd.h>
#include <zstd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

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

class LiveEventLogTest : public testing::Test {
 protected:
  LiveEventLogTest() { std::filesystem::create_directories(folder_); }
  ~LiveEventLogTest() override { std::filesystem::remove_all(folder_); }

  std::string Append(const std::string& name, std::string_view text) {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path, std::ios::binary | std::ios::app) << text;
    return path;
  }

  const std::string folder_ = testing::TempDir() + "live_event_log-" + std::to_string(getpid());
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
  const auto zstd = [](const std::string& text) {
    std::string frame(ZSTD_compressBound(text.size()), '\0');
    frame.resize(ZSTD_compress(frame.data(), frame.size(), text.data(), text.size(), 1));
    return frame;
  };
  const std::string path = Append("log.zstd", zstd(kBegin + JobStart(1)));
  LiveEventLog log({path}, kAll);
  const std::string frame = zstd(JobStart(2));
  Append("log.zstd", frame.substr(0, frame.size() / 2));
  ASSERT_TRUE(log.Update({path}));
  EXPECT_EQ(log.Snapshot().jobs.size(), 1U);
  Append("log.zstd", frame.substr(frame.size() / 2));
  ASSERT_TRUE(log.Update({path}));
  EXPECT_EQ(log.Snapshot().jobs.size(), 2U);
  EXPECT_EQ(log.Snapshot().damaged_events, 0);
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
