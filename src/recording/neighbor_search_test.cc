// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/time.h"
#include "recording/node_join.h"

namespace sparkprof {
namespace {

constexpr int64_t kStartNs = 1'700'000'000 * kNanosPerSecond;
constexpr int64_t kOwnPid = 10;

int64_t At(double seconds) { return kStartNs + static_cast<int64_t>(seconds * kNanosPerSecond); }

// An application from 0 s to 10 s, and a node that was recorded for a minute.
class NeighborSearchTest : public testing::Test {
 protected:
  NeighborSearchTest() {
    RecordedSource& agent = application_.sources.emplace_back();
    Segment executor;
    executor.source.role = "executor";
    executor.source.executor_id = "3";
    executor.source.boot_id = "boot";
    executor.anchors = {{1, At(0)}, {2, At(10)}};
    agent.segments.emplace_back(std::move(executor));
    Segment segment;
    segment.source.role = "node";
    segment.source.host = "h";
    segment.source.boot_id = "boot";
    segment.source.pid = 1;
    node_.segments.emplace_back(std::move(segment));
  }

  struct Stranger {
    int64_t pid = 0;
    std::string application, user, name;
    double started = -1000;
  };

  void Add(const Stranger& stranger) {
    Process process;
    process.pid = stranger.pid;
    process.start_ticks = stranger.pid;
    process.application_id = stranger.application;
    process.user = stranger.user;
    process.name = stranger.name;
    process.started_ns = At(stranger.started);
    node_.segments[0].Edit().processes.push_back(process);
  }

  using Points = std::vector<std::pair<double, double>>;  // seconds and value

  void AddSeries(int64_t pid, const std::string& name, const Points& points) {
    Series series{name, pid, pid, SeriesKind::kCounter, {}};
    for (const auto& [second, value] : points) series.points.push_back({At(second), value});
    node_.segments[0].Edit().series.push_back(series);
  }

  std::vector<Neighbor> Find() {
    return FindNeighbors(application_, node_, [](const Process& process) { return process.pid == kOwnPid; });
  }

  RecordedApplication application_;
  RecordedSource node_;
};

TEST_F(NeighborSearchTest, AnotherApplicationIsOneNeighborWithTheSumOfItsProcesses) {
  Add({.pid = kOwnPid, .application = "app-1", .user = "bo", .name = "java"});
  AddSeries(kOwnPid, "process.cpu_ns", {{0, 0}, {10, 20e9}});
  for (const int64_t pid : {20, 21}) {
    Add({.pid = pid, .application = "app-2", .user = "ana", .name = "java"});
    AddSeries(pid, "process.cpu_ns", {{-20, 0}, {0, 100e9}, {10, 110e9}, {60, 200e9}});
    AddSeries(pid, "process.write_bytes", {{0, 0}, {10, 1000}});
  }
  AddSeries(0, "host.cpu_user_ns", {{0, 0}, {10, 30e9}});
  AddSeries(0, "host.cpu_idle_ns", {{0, 0}, {10, 10e9}});
  const auto found = Find();
  ASSERT_EQ(found.size(), 1u) << "not the application itself";
  EXPECT_EQ(found[0].application_id, "app-2");
  EXPECT_EQ(found[0].user, "ana");
  EXPECT_EQ(found[0].host, "h");
  EXPECT_EQ(found[0].executor_ids, std::vector<std::string>{"3"});
  EXPECT_EQ(found[0].processes, 2);
  EXPECT_EQ(found[0].host_cores, 4);
  EXPECT_EQ(found[0].begin_ns, At(0));
  EXPECT_EQ(found[0].step_ns, kNanosPerSecond);
  ASSERT_EQ(found[0].cpu_ns.size(), 10u) << "only while the application ran";
  EXPECT_DOUBLE_EQ(found[0].cpu_ns[4], 2e9);
  EXPECT_DOUBLE_EQ(found[0].disk_bytes[4], 200);
}

TEST_F(NeighborSearchTest, OtherProcessesAreAddedUpByUserAndName) {
  for (const int64_t pid : {20, 21, 22}) {
    Add({.pid = pid, .user = pid == 22 ? "bo" : "ana", .name = "cc1plus"});
    AddSeries(pid, "process.cpu_ns", {{0, 0}, {10, 1e9}});
  }
  const auto found = Find();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].user, "ana");
  EXPECT_EQ(found[0].processes, 2);
  EXPECT_EQ(found[1].user, "bo");
}

TEST_F(NeighborSearchTest, AProcessThatStartedMeanwhileCountsFromItsStart) {
  Add({.pid = 20, .user = "ana", .name = "short", .started = 3});
  AddSeries(20, "process.cpu_ns", {{5, 2e9}, {6, 3e9}});
  const auto found = Find();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_DOUBLE_EQ(found[0].cpu_ns[3] + found[0].cpu_ns[4], 2e9);
}

TEST_F(NeighborSearchTest, OnlyTheLargestAreKept) {
  for (int64_t pid = 100; pid < 200; ++pid) {
    Add({.pid = pid, .user = "ana", .name = fmt::format("p{}", pid)});
    AddSeries(pid, "process.cpu_ns", {{0, 0}, {10, 1e9 * static_cast<double>(pid)}});
    AddSeries(pid, "process.read_bytes", {{0, 0}, {10, 1e9 * static_cast<double>(300 - pid)}});
  }
  const auto found = Find();
  ASSERT_EQ(found.size(), kMaxNeighbors);
  EXPECT_EQ(found.front().name, "p199") << "most CPU";
  EXPECT_EQ(found.back().name, "p103") << "most bytes of the others";
}

TEST_F(NeighborSearchTest, WhoUsedNextToNothingIsNoNeighbor) {
  Add({.pid = 20, .user = "ana", .name = "idle"});
  AddSeries(20, "process.cpu_ns", {{0, 0}, {10, 0.1e9}});
  EXPECT_TRUE(Find().empty());
}

}  // namespace
}  // namespace sparkprof
