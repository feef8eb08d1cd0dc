// SPDX-License-Identifier: Apache-2.0
#include "analysis/machines/node_use.h"

#include <gtest/gtest.h>

#include "base/time.h"

namespace sparkprof {
namespace {

constexpr int64_t kStartNs = 1'700'000'000 * kNanosPerSecond;

class NodeUseTest : public testing::Test {
 protected:
  NodeUseTest() { day_.is_node = true; }

  using Points = std::vector<std::pair<double, double>>;  // seconds and value

  void Add(const std::string& name, const Points& points, int32_t process = -1) {
    ApplicationSeries& series = day_.series.emplace_back();
    series.name = name;
    series.process = process;
    for (const auto& [second, value] : points) {
      series.points.push_back({kStartNs + static_cast<int64_t>(second * kNanosPerSecond), value});
    }
  }

  int32_t AddProcess(int64_t pid, double started, double last) {
    Process process;
    process.pid = pid;
    process.start_ticks = pid;
    process.role = "other";
    process.started_ns = kStartNs + static_cast<int64_t>(started * kNanosPerSecond);
    process.last_seen_ns = kStartNs + static_cast<int64_t>(last * kNanosPerSecond);
    day_.processes.push_back({process, -1});
    return static_cast<int32_t>(day_.processes.size()) - 1;
  }

  HostUse Use(int64_t seconds, size_t steps) {
    return UseOfHost({&day_}, {kStartNs, kStartNs + seconds * kNanosPerSecond, steps});
  }

  std::vector<ProcessUse> Processes(int64_t from, int64_t to, ProcessOrder order = ProcessOrder::kCpu) {
    return UseOfProcesses({&day_}, kStartNs + from * kNanosPerSecond, kStartNs + to * kNanosPerSecond, order);
  }

  Application day_;
};

TEST_F(NodeUseTest, CpuIsTheCoresThatWereBusy) {
  Add("host.cpu_user_ns", {{0, 0}, {10, 30e9}, {20, 30e9}});
  Add("host.cpu_idle_ns", {{0, 0}, {10, 10e9}, {20, 40e9}});
  Add("host.cpu_iowait_ns", {{0, 0}, {10, 0}, {20, 10e9}});
  const HostUse use = Use(20, 2);
  EXPECT_DOUBLE_EQ(use.cores, 4);
  ASSERT_TRUE(use.cpu[0] && use.cpu[1]);
  EXPECT_DOUBLE_EQ(*use.cpu[0], 3);
  EXPECT_DOUBLE_EQ(*use.cpu[1], 0) << "waiting for a disk is not use";
}

TEST_F(NodeUseTest, WithoutReadingsNothingIsKnown) {
  Add("host.cpu_idle_ns", {{0, 0}, {10, 40e9}, {1000, 4000e9}, {1010, 4040e9}});
  const HostUse use = Use(2000, 20);
  EXPECT_TRUE(use.cpu[0]);
  EXPECT_FALSE(use.cpu[5]) << "nobody read from 10 s to 1000 s";
  EXPECT_TRUE(use.cpu[10]);
  EXPECT_FALSE(use.disk[5]);
  EXPECT_FALSE(use.memory[0]);
}

TEST_F(NodeUseTest, MemoryIsTheMostOfAStepAndHoldsWhileItIsEqual) {
  Add("host.memory_total_bytes", {{0, 100}});
  Add("host.memory_available_bytes", {{0, 60}, {5, 20}, {10, 90}, {30, 90}});
  const HostUse use = Use(40, 4);
  EXPECT_EQ(use.memory[0], 80);
  EXPECT_EQ(use.memory[1], 10);
  EXPECT_EQ(use.memory[2], 10) << "held from 10 s to 30 s";
}

TEST_F(NodeUseTest, DevicesCountOnceWithoutLayersAboveThem) {
  Add("host.cpu_idle_ns", {{0, 0}, {10, 10e9}});
  Add("host.disk.sda.read_bytes", {{0, 0}, {10, 100}});
  Add("host.disk.sda.write_bytes", {{0, 0}, {10, 10}});
  Add("host.disk.sda.busy_ns", {{0, 0}, {10, 1e9}});
  Add("host.disk.dm-0.read_bytes", {{0, 0}, {10, 100}});
  Add("host.network.eth0.received_bytes", {{0, 0}, {10, 7}});
  Add("host.network.eth0.receive_errors", {{0, 0}, {10, 7}});
  Add("host.network.lo.sent_bytes", {{0, 0}, {10, 1000}});
  const HostUse use = Use(10, 1);
  EXPECT_EQ(use.disk[0], 110);
  EXPECT_EQ(use.network[0], 7);
}

TEST_F(NodeUseTest, ProcessesAreSortedByWhatTheyUsedInTheRange) {
  const int32_t early = AddProcess(10, -1000, 100);
  Add("process.cpu_ns", {{0, 500e9}, {10, 510e9}, {20, 510e9}}, early);
  Add("process.rss_bytes", {{0, 9000}, {20, 9000}}, early);
  const int32_t late = AddProcess(11, 12, 30);
  Add("process.cpu_ns", {{14, 2e9}, {20, 8e9}}, late);
  Add("process.rss_bytes", {{14, 50}, {20, 70}}, late);
  const auto used = Processes(10, 20);
  ASSERT_EQ(used.size(), 2u);
  EXPECT_EQ(used[0].pid, 11);
  EXPECT_DOUBLE_EQ(used[0].cpu_ns, 8e9) << "from its start";
  EXPECT_DOUBLE_EQ(used[1].cpu_ns, 0);
  EXPECT_EQ(used[1].max_rss_bytes, 9000) << "the value that held";
  EXPECT_EQ(Processes(10, 20, ProcessOrder::kMemory)[0].pid, 10);
}

// Five cores' worth under a host that used at most two: each was busy only while it ran.
TEST_F(NodeUseTest, CoresOfProcessesThatFollowEachOtherAddUpToThoseOfTheHost) {
  Add("host.cpu_user_ns", {{0, 0}, {10, 20e9}});
  Add("host.cpu_idle_ns", {{0, 0}, {10, 0}});
  for (int i = 0; i < 5; ++i)
    Add("process.cpu_ns", {{2.0 * i, 0}, {2.0 * i + 2, 4e9}}, AddProcess(20 + i, 2 * i, 2 * i + 2));
  double cores = 0;
  for (const ProcessUse& use : Processes(0, 10)) cores += use.cores;
  EXPECT_DOUBLE_EQ(cores, *Use(10, 1).cpu[0]);
}

TEST_F(NodeUseTest, ProcessesOfOtherTimesAreNotThere) {
  Add("process.cpu_ns", {{0, 0}, {10, 1e9}}, AddProcess(10, 0, 10));
  EXPECT_TRUE(Processes(11, 20).empty());
  EXPECT_EQ(Processes(5, 20).size(), 1u);
}

TEST_F(NodeUseTest, ADayDoesNotCountWhatThePreviousOneHas) {
  Add("process.cpu_ns", {{3600, 1000e9}, {3610, 1005e9}}, AddProcess(10, 0, 3610));
  EXPECT_DOUBLE_EQ(Processes(0, 4000)[0].cpu_ns, 5e9);
}

TEST_F(NodeUseTest, AHostsSentenceNamesItsLargestUsersAndTheNextStep) {
  Add("host.cpu_user_ns", {{0, 0}, {10, 15e9}});
  Add("host.cpu_idle_ns", {{0, 0}, {10, 5e9}});
  const int32_t python = AddProcess(7, 0, 10), database = AddProcess(8, 0, 10);
  Process& worker = day_.processes[static_cast<size_t>(python)].process;
  worker.name = "python3";
  worker.executor_id = "1";
  worker.application_id = "application_1";
  day_.processes[static_cast<size_t>(database)].process.name = "postgres";
  Add("process.cpu_ns", {{0, 0}, {10, 9e9}}, python);
  Add("process.cpu_ns", {{0, 0}, {10, 3e9}}, database);
  Add("process.rss_bytes", {{0, 1 << 20}, {10, 1 << 20}}, python);
  Add("process.rss_bytes", {{0, 3 << 20}, {10, 3 << 20}}, database);
  const TimeRange range = {kStartNs, kStartNs + 10 * kNanosPerSecond};
  EXPECT_EQ(HostInWords(day_, range),
            "1.5 of 2 cores busy. Most CPU: python3 (PID 7, executor 1 of application_1), 0.9 cores; most memory: "
            "postgres (PID 8), 3.0 MiB. Run `sparkprof attach 7` for its functions.");
  worker.name = "stress";
  EXPECT_NE(HostInWords(day_, range).find("reserve its cores"), std::string::npos);
}

}  // namespace
}  // namespace sparkprof
