// SPDX-License-Identifier: Apache-2.0
// Where the real agent leaves its blocks: the spool, the plugin, both.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "testing/agent_fixture.h"
#include "testing/sample_chunk.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

TEST_F(AgentTest, ForwardsTheSameBlocksThatItWrites) {
  auto pairs = HelloPairs();
  pairs["forward"] = "1";
  Start(pairs);
  agent_.Event("{}");
  agent_.Stopping();
  agent_.End();
  std::string forwarded;
  for (const auto& frame : agent_.LastFrames()) {
    if (frame.kind == ToPlugin::kBlock) forwarded += frame.payload;
  }
  EXPECT_EQ(forwarded, ReadFile(spool_).value_or(""));
  EXPECT_FALSE(forwarded.empty());
}

TEST_F(AgentTest, TellsWhereItsRecordingIsAndBeginsAnEmptyFileWhenAllOfItIsUploaded) {
  Start();
  agent_.Event("{\"n\":1}");
  ASSERT_TRUE(Await(spool_, HasEvents));
  const auto size = static_cast<int64_t>(fs::file_size(spool_));
  agent_.Uploaded(size - 1);
  agent_.Event("{\"n\":2}");
  const auto is_second = [](const Segment& s) { return s.spark_events == std::vector<std::string>{"{\"n\":2}"}; };
  ASSERT_TRUE(Await(spool_, [&](const auto& segments) {
    return std::any_of(segments.begin(), segments.end(), is_second);
  })) << "not all of it was uploaded";
  const auto uploaded = static_cast<int64_t>(fs::file_size(spool_));
  agent_.Uploaded(uploaded);
  ASSERT_TRUE(Eventually([&] { return fs::file_size(spool_) == 0; }));
  agent_.Event("{\"n\":3}");
  agent_.Stopping();
  agent_.End();
  std::vector<std::string> places;
  for (const auto& frame : agent_.LastFrames()) {
    if (frame.kind == ToPlugin::kSpool) places.push_back(frame.payload);
  }
  EXPECT_EQ(places, (std::vector<std::string>{AgentProcess::I64(0) + spool_, AgentProcess::I64(uploaded) + spool_}));
  const auto segments = Read(spool_);
  ASSERT_FALSE(segments.empty());
  EXPECT_EQ(segments.front().spark_events, (std::vector<std::string>{"{\"n\":3}"}));
}

TEST_F(AgentTest, OnlyForwardsWithoutASpool) {
  auto pairs = HelloPairs();
  pairs["forward"] = "1";
  pairs["spool"] = "";
  Start(pairs);
  agent_.Event("{}");
  agent_.End();
  EXPECT_FALSE(agent_.LastFrames().empty());
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(AgentTest, GoesOnInTheNodesFolderWhenTheSpoolIsDeleted) {
  Start();
  agent_.Event("{\"n\":1}");
  ASSERT_TRUE(Await(spool_, HasEvents));
  fs::remove_all(Path("spool"));
  agent_.Event("{\"n\":2}");
  agent_.End();
  EXPECT_FALSE(fs::exists(Path("spool")));
  std::vector<std::string> events;
  for (const Segment& segment : Read(Path("node/a.sprof"))) {
    events.insert(events.end(), segment.spark_events.begin(), segment.spark_events.end());
  }
  EXPECT_EQ(events, (std::vector<std::string>{"{\"n\":1}", "{\"n\":2}"}));
}

TEST_F(AgentTest, MovesItsSpoolWhenTheApplicationIsKnown) {
  auto pairs = HelloPairs();
  pairs["application_id"] = "";
  Start(pairs);
  agent_.Event("{}");
  ASSERT_TRUE(Await(spool_, HasEvents));
  const std::string place = Path("app-2/driver.sprof");
  agent_.Identity({{"application_id", "app-2"}, {"spool", place}});
  agent_.Event("{}");
  agent_.End();
  EXPECT_FALSE(fs::exists(spool_));
  const auto segments = Read(place);
  ASSERT_GE(segments.size(), 2u);
  EXPECT_EQ(segments.front().source.application_id, "");
  EXPECT_EQ(segments.back().source.application_id, "app-2");
}

TEST_F(AgentTest, KeepsToItsQuotaAndSaysSo) {
  auto pairs = HelloPairs();
  pairs["max_spool_bytes"] = "20000";
  Start(pairs);
  std::string noise;
  uint64_t state = 1;
  // Words that no compression makes small, and no rule takes for a secret.
  for (int i = 0; i < 200'000; ++i) {
    state = state * 6364136223846793005 + 1;
    noise += "abcdefghijklmnopqrstuvwxyz  "[(state >> 33) % 28];
  }
  agent_.Event("{}");
  ASSERT_TRUE(Await(spool_, HasEvents));
  agent_.Event(R"({"Event":"E","x":")" + noise + "\"}");
  agent_.Dumped(MonotonicNanos());
  agent_.TaskBegin(MonotonicNanos(), 5, 77);
  agent_.Stopping();
  agent_.End();
  EXPECT_LT(fs::file_size(spool_), 20'000u + (64 << 10));
  const auto segments = Read(spool_);
  ASSERT_FALSE(segments.empty());
  bool told = false;
  for (const Segment& segment : segments) {
    for (const Loss& loss : segment.losses) told = told || (loss.what == "spool_bytes" && loss.count > 50'000);
  }
  EXPECT_TRUE(told);
}

TEST_F(AgentTest, ALaterAgentNumbersItsSegmentsBehindThoseOfTheOneBefore) {
  auto pairs = HelloPairs();
  pairs["first_sequence"] = std::to_string(int64_t{1} << 32);
  Start(pairs);
  agent_.Stopping();
  agent_.End();
  const auto segments = Read(spool_);
  ASSERT_FALSE(segments.empty());
  EXPECT_EQ(segments[0].source.sequence, uint64_t{1} << 32);
}

TEST_F(AgentTest, EndsWhenNobodyTakesWhatItSends) {
  auto pairs = HelloPairs();
  pairs["forward"] = "1";
  Start(pairs);
  // More than a pipe holds, in blocks that do not compress.
  std::string noise;
  uint64_t state = 1;
  for (int i = 0; i < 400'000; ++i)
    noise += static_cast<char>('#' + ((state = state * 6364136223846793005 + 1) >> 33) % 57);
  agent_.Event(R"({"Event":"E","x":")" + noise + "\"}");
  ASSERT_TRUE(Await(spool_, HasEvents));
  agent_.CloseInput();
  EXPECT_TRUE(Eventually([&] {
    return ReadFile("/proc/" + std::to_string(agent_pid_) + "/stat").value_or(") Z ").find(") Z ") != std::string::npos;
  }));
  agent_.WaitForEnd();
}

}  // namespace
}  // namespace sparkprof
