// SPDX-License-Identifier: Apache-2.0
#include "recording/node_join.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/time.h"
#include "recording/application_builder.h"
#include "recording/source_grouping.h"

namespace sparkprof {
namespace {

constexpr int64_t kStartNs = 1'700'000'000 * kNanosPerSecond;

Segment SegmentOf(const std::string& role, const std::string& application, const std::string& executor, int64_t pid) {
  Segment segment;
  segment.source.role = role;
  segment.source.application_id = application;
  segment.source.executor_id = executor;
  segment.source.host = "h";
  segment.source.boot_id = "boot";
  segment.source.pid = pid;
  segment.source.start_ticks = 5;
  segment.anchors = {{pid, kStartNs}};
  segment.final = true;
  return segment;
}

Process ProcessOf(int64_t pid, const std::string& role) {
  Process process;
  process.pid = pid;
  process.start_ticks = 5;
  process.role = role;
  process.command = role + " command";
  process.first_seen_ns = process.last_seen_ns = kStartNs;
  return process;
}

Process NodeProcess(int64_t pid, const std::string& role, const std::string& application, const std::string& executor) {
  Process process = ProcessOf(pid, role);
  process.started_ns = kStartNs - kNanosPerSecond;
  process.application_id = application;
  process.executor_id = executor;
  return process;
}

Series Cpu(int64_t pid, std::vector<SeriesPoint> points) {
  return {"process.cpu_ns", pid, 5, SeriesKind::kCounter, std::move(points)};
}

class NodeJoinTest : public testing::Test {
 protected:
  void SetUp() override { Join("alice"); }

  // An executor's agent sees PIDs 10 and 11; the node sees these, of alice, 12 and 99.
  void Join(const std::string& user) {
    Segment agent = SegmentOf("executor", "app-1", "1", 10);
    agent.spark_events = {
        R"({"Event":"SparkListenerApplicationStart","App Name":"a","App ID":"app-1","Timestamp":1700000000000,"User":")" +
        user + "\"}"};
    agent.anchors.push_back({11, kStartNs + 2 * kNanosPerSecond});
    agent.processes = {ProcessOf(10, "jvm"), ProcessOf(11, "python_daemon")};
    agent.series = {Cpu(10, {{kStartNs + 1'000, 100}})};
    Segment node = SegmentOf("node", "node-h-20231114", "", 77);
    node.processes = {NodeProcess(10, "jvm_executor", "app-1", "1"), NodeProcess(11, "python_daemon", "", ""),
                      NodeProcess(12, "yarn", "app-1", "1"), NodeProcess(99, "other", "", "")};
    node.processes.back().name = "busy";
    for (Process& process : node.processes) process.user = "alice";
    node.series = {Cpu(10, {{kStartNs, 101}, {kStartNs + 2'000, 300}}),
                   Cpu(99, {{kStartNs, 7}, {kStartNs + kNanosPerSecond, 7 + 9e8}})};
    SourceGrouping grouping;
    for (Segment& segment : std::vector<Segment>{agent, node}) {
      grouping.BeginFile();
      grouping.Add(std::move(segment));
      grouping.EndFile(false);
    }
    for (RecordedApplication& recorded : grouping.Take()) {
      Application application = BuildApplication(std::move(recorded));
      (application.is_node ? node_ : application_) = std::move(application);
    }
  }

  const ApplicationProcess* Find(const Application& application, int64_t pid) const {
    const auto found = std::find_if(application.processes.begin(), application.processes.end(),
                                    [&](const ApplicationProcess& row) { return row.process.pid == pid; });
    return found == application.processes.end() ? nullptr : &*found;
  }

  Application application_, node_;
};

TEST_F(NodeJoinTest, AProcessOfAgentAndMonitorIsOneProcess) {
  EXPECT_EQ(application_.processes.size(), 3u);
  ASSERT_NE(Find(application_, 10), nullptr);
  EXPECT_EQ(Find(application_, 10)->process.role, "jvm") << "as the agent has it";
  EXPECT_EQ(application_.executors[static_cast<size_t>(Find(application_, 10)->executor)].id, "1");
  EXPECT_NE(Find(application_, 11), nullptr) << "the agent saw it";
}

TEST_F(NodeJoinTest, WhoClaimsAProcessOfAnotherUserGetsNothingOfIt) {
  Join("mallory");
  EXPECT_EQ(application_.processes.size(), 2U) << "as its own agent has them";
  ASSERT_EQ(application_.series.size(), 1U);
  EXPECT_EQ(application_.series[0].points.size(), 1U);
  EXPECT_EQ(node_.processes.size(), 4U);
}

TEST_F(NodeJoinTest, AProcessThatOnlyTheMonitorSawGetsItsExecutor) {
  ASSERT_NE(Find(application_, 12), nullptr);
  EXPECT_EQ(application_.executors[static_cast<size_t>(Find(application_, 12)->executor)].id, "1");
}

TEST_F(NodeJoinTest, TheNodeKeepsTheOtherProcesses) {
  EXPECT_EQ(node_.id, "node-h-20231114");
  EXPECT_EQ(node_.processes.size(), 1u);
  EXPECT_NE(Find(node_, 99), nullptr);
  EXPECT_TRUE(node_.complete);
}

TEST_F(NodeJoinTest, AProcessOfNobodyIsANeighborAndNoProcessOfTheApplication) {
  ASSERT_EQ(application_.neighbors.size(), 1u);
  EXPECT_EQ(application_.neighbors[0].name, "busy");
  EXPECT_EQ(application_.neighbors[0].executor_ids, std::vector<std::string>{"1"});
  EXPECT_EQ(Find(application_, 99), nullptr);
}

TEST_F(NodeJoinTest, ACounterOfBothStillGrows) {
  ASSERT_EQ(application_.series.size(), 1u);
  std::vector<double> values;
  for (const SeriesPoint& point : application_.series[0].points) values.push_back(point.value);
  EXPECT_EQ(values, (std::vector<double>{101, 300})) << "100 was noted later, but read earlier";
}

TEST_F(NodeJoinTest, TheApplicationIsCompleteThoughTheNodesRecordingGoesOn) { EXPECT_TRUE(application_.complete); }

TEST(NodeNameTest, AHostMayLackItsDomain) {
  EXPECT_TRUE(IsSameHost("worker-1", "worker-1.example.com"));
  EXPECT_TRUE(IsSameHost("10.0.0.7", "10.0.0.7"));
  EXPECT_FALSE(IsSameHost("10.0.0.7", "10.0.0.8"));
  EXPECT_FALSE(IsSameHost("worker-1", "worker-2"));
}

}  // namespace
}  // namespace sparkprof
