// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/io/file.h"
#include "base/testing/folder_test.h"
#include "base/time.h"
#include "model/segment/block.h"
#include "testing/agent_process.h"

namespace sparkprof {

// The real agent of a process that stands for a JVM, with a spool in a folder of the test's own.
class AgentTest : public FolderTest {
 protected:
  ~AgentTest() override {
    // Nothing may be left of the agent.
    if (agent_pid_ > 0) {
      EXPECT_NE(kill(static_cast<pid_t>(agent_pid_), 0), 0);
    }
  }

  std::map<std::string, std::string> HelloPairs() {
    return {{"protocol", "1"},
            {"pid", std::to_string(jvm_.Pid())},
            {"role", "executor"},
            {"application_id", "app-1"},
            {"executor_id", "7"},
            {"bucket_ns", "1000000000"},
            {"spool", spool_},
            {"node_dir", Path("node")},
            {"setting.cpu.interval_ns", "10000000"},
            {"setting.wall.interval_ns", "50000000"}};
  }
  void Start() { Start(HelloPairs()); }
  void Start(const std::map<std::string, std::string>& pairs) {
    agent_pid_ = agent_.Pid();
    agent_.Hello(pairs);
  }

  static std::vector<Segment> Read(const std::string& path) {
    std::vector<Segment> segments;
    const auto bytes = ReadFile(path);
    if (!bytes || bytes->empty()) return segments;
    const auto status = ReadBlocks(*bytes, path, [&](Segment&& segment) { segments.push_back(std::move(segment)); });
    EXPECT_TRUE(status) << status.error().message;
    if (status) {
      EXPECT_EQ(status->damaged_blocks + status->skipped_bytes, 0u);
    }
    return segments;
  }

  // A limit that only a hang exceeds, also on a busy machine.
  static constexpr int64_t kPatienceNs = 600 * kNanosPerSecond;

  // Asks until the answer is yes, or patience is at its end.
  static bool Eventually(const std::function<bool()>& asks) {
    const int64_t end = MonotonicNanos() + kPatienceNs;
    while (MonotonicNanos() < end) {
      if (asks()) return true;
      poll(nullptr, 0, 10);
    }
    return false;
  }
  static bool Await(const std::string& path, const std::function<bool(const std::vector<Segment>&)>& says) {
    return Eventually([&] { return says(Read(path)); });
  }
  static bool HasEvents(const std::vector<Segment>& segments) {
    return std::any_of(segments.begin(), segments.end(), [](const Segment& s) { return !s.spark_events.empty(); });
  }

  const std::string spool_ = Path("spool/a.sprof");
  ChildProcess jvm_{{"sleep", "600"}};
  AgentProcess agent_{SPARKPROF_AGENT};
  int64_t agent_pid_ = 0;
};

}  // namespace sparkprof
