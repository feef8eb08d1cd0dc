// SPDX-License-Identifier: Apache-2.0
#include "recording/event_log_recording.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/io/file.h"
#include "model/segment/block.h"
#include "recording/recordings.h"

namespace sparkprof {
namespace {

class EventLogRecordingTest : public testing::Test {
 protected:
  ~EventLogRecordingTest() override { unlink(path_.c_str()); }

  static std::vector<std::string> Blocks(const std::string& log, const std::string& attempt = "1") {
    std::vector<std::string> blocks;
    EXPECT_TRUE(WriteEventLogRecording(StringSource(log), {"app-1", attempt, "etl", "4.1.1"},
                                       [&](std::string_view block) { blocks.emplace_back(block); }));
    return blocks;
  }

  void Store(const std::vector<std::string>& blocks) {
    std::string bytes;
    for (const std::string& block : blocks) bytes += block;
    ASSERT_TRUE(WriteFile(path_, bytes));
  }

  std::string Lines(const std::string& attempt = "1") {
    const Result<RecordedEventLog> log = RecordedEventLog::Read({path_}, attempt);
    EXPECT_TRUE(log) << log.error().message;
    return *ReadAll(log->Open().get(), size_t{1} << 30, "log");
  }

  const std::string path_ = testing::TempDir() + "event-log-" + std::to_string(getpid()) + ".sprof";
};

// `count` events of about 1 KiB.
std::string Log(int count) {
  std::string log;
  for (int i = 0; i < count; ++i) {
    log += R"({"Event":"E","number":)" + std::to_string(i) + R"(,"text":")" + std::string(1000, 'x') + "\"}\n";
  }
  return log;
}

TEST_F(EventLogRecordingTest, ReturnsEveryEventInOrder) {
  const std::string log = Log(10'000);
  const std::vector<std::string> blocks = Blocks(log);
  EXPECT_EQ(blocks.size(), 3u);
  Store({blocks[2], blocks[0], blocks[1]});
  EXPECT_EQ(Lines(), log);
  EXPECT_EQ(Lines("2"), "");
}

TEST_F(EventLogRecordingTest, ALogThatHasGrownReplacesItsLastBlock) {
  const std::vector<std::string> before = Blocks(Log(5'000)), after = Blocks(Log(6'000));
  ASSERT_EQ(before.size(), 2u);
  ASSERT_EQ(after.size(), 2u);
  EXPECT_EQ(before[0], after[0]);
  for (const auto& order : {std::vector{before[0], before[1], after[1]}, std::vector{after[1], before[0], before[1]}}) {
    Store(order);
    EXPECT_EQ(Lines(), Log(6'000));
  }
}

TEST_F(EventLogRecordingTest, BlocksOfAGrownLogAreNoDuplicates) {
  // The keys by which a server's store separates them.
  const auto key = [](const std::string& block) {
    std::string text;
    EXPECT_TRUE(ReadBlocks(block, "block", [&](Segment&& segment) {
      for (const ClockAnchor& anchor : segment.anchors) text += std::to_string(anchor.monotonic_ns) + "/";
      text += std::to_string(segment.source.sequence);
    }));
    return text;
  };
  EXPECT_NE(key(Blocks(Log(1))[0]), key(Blocks(Log(2))[0]));
  EXPECT_EQ(key(Blocks(Log(2))[0]), key(Blocks(Log(2))[0]));
}

TEST_F(EventLogRecordingTest, HasNoSecrets) {
  Store(Blocks(R"({"Event":"E","Spark Properties":{"spark.password":"hunter2"}})"
               "\n"
               "no json password=hunter2 {\n"));
  EXPECT_EQ(ReadFile(path_)->find("hunter2"), std::string::npos);
  EXPECT_EQ(Lines().find("hunter2\""), std::string::npos);
}

TEST_F(EventLogRecordingTest, IsNoApplicationOfItsOwn) {
  Store(Blocks(Log(3)));
  const Result<Recording> recording = ReadRecordings({path_});
  ASSERT_TRUE(recording) << recording.error().message;
  EXPECT_TRUE(recording->applications.empty());
}

}  // namespace
}  // namespace sparkprof
