// SPDX-License-Identifier: Apache-2.0
#include "monitor/host_readings.h"

#include <gtest/gtest.h>

#include "base/io/file.h"
#include "base/testing/folder_test.h"
#include "model/segment/block.h"

namespace sparkprof {
namespace {

int64_t ValueOf(const std::vector<HostValue>& values, std::string_view name) {
  for (const HostValue& value : values) {
    if (value.name == name) return value.value;
  }
  return -1;
}

constexpr char kDisks[] =
    "   8       0 sda 100 0 2000 5 200 0 4000 6 0 70 8 0 0 0 0\n"
    "   8       1 sda1 100 0 2000 5 200 0 4000 6 0 70 8 0 0 0 0\n"
    " 259       0 nvme0n1 1 0 8 0 1 0 16 0 0 3 0\n"
    " 259       1 nvme0n1p1 1 0 8 0 1 0 16 0 0 3 0\n"
    "   7       0 loop0 1 0 8 0 1 0 16 0 0 3 0\n";

TEST(HostReadingsTest, CpuTimesAreNanoseconds) {
  const auto values = ParseCpuTimes("cpu  100 1 50 1000 7 0 2 3 0 0\ncpu0 1 1 1 1\nprocesses 4711\nprocs_running 3\n");
  EXPECT_EQ(ValueOf(values, "host.cpu_user_ns"), 1'000'000'000);
  EXPECT_EQ(ValueOf(values, "host.cpu_steal_ns"), 30'000'000);
  EXPECT_EQ(ValueOf(values, "host.forks"), 4711);
  EXPECT_EQ(ValueOf(values, "host.running_threads"), 3);
}

TEST(HostReadingsTest, DisksAreReadWithoutTheirPartitions) {
  const auto values = ParseDisks(kDisks);
  EXPECT_EQ(ValueOf(values, "host.disk.sda.read_bytes"), 2000 * 512);
  EXPECT_EQ(ValueOf(values, "host.disk.sda.write_bytes"), 4000 * 512);
  EXPECT_EQ(ValueOf(values, "host.disk.sda.busy_ns"), 70'000'000);
  EXPECT_EQ(ValueOf(values, "host.disk.nvme0n1.read_bytes"), 8 * 512);
  EXPECT_EQ(values.size(), 6u);
}

TEST(HostReadingsTest, NetworkIsReadByInterface) {
  const auto values = ParseNetwork(
      "Inter-|   Receive  |  Transmit\n face |bytes packets errs\n"
      "  eth0:1000 2 3 4 5 6 7 8 900 10 11 12 13 14 15 16\n");
  EXPECT_EQ(ValueOf(values, "host.network.eth0.received_bytes"), 1000);
  EXPECT_EQ(ValueOf(values, "host.network.eth0.receive_errors"), 3);
  EXPECT_EQ(ValueOf(values, "host.network.eth0.sent_bytes"), 900);
  EXPECT_EQ(ValueOf(values, "host.network.eth0.send_errors"), 11);
}

TEST(HostReadingsTest, PressureIsTheTimeThatTasksWaited) {
  const auto values = ParsePressure(
      "some avg10=0.00 avg60=0.00 avg300=0.00 total=12\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7\n", "p");
  EXPECT_EQ(ValueOf(values, "p_some_ns"), 12'000);
  EXPECT_EQ(ValueOf(values, "p_full_ns"), 7'000);
}

TEST(HostReadingsTest, TruncatedAndHostileTextsGiveNoWrongNumbers) {
  const std::string_view disks = kDisks;
  for (size_t size = 0; size < disks.size(); ++size) ParseDisks(disks.substr(0, size));
  EXPECT_TRUE(ParseCpuTimes("cpu  99999999999999999999 -1 x\n").empty());
  EXPECT_TRUE(ParseHostMemory("MemTotal: 9223372036854775807 kB\nMemFree:\n").empty());
  EXPECT_TRUE(ParsePressure("some total=\nother total=5\n", "p").empty());
}

// The series of what was read once, by name.
std::map<std::string, double> ReadOnce(const std::string& proc, const std::string& groups, const std::string& group) {
  NodeSegment segment(Source{});
  HostReadings readings(proc, groups);
  readings.Tick(1, {{group, 1}}, &segment);
  std::map<std::string, double> series;
  EXPECT_TRUE(ReadBlocks(segment.Take(true), "block", [&](Segment&& read) {
    for (const Series& one : read.series) series[one.name] = one.points.back().value;
  }));
  return series;
}

using ControlGroupsTest = FolderTest;

TEST_F(ControlGroupsTest, Version2HasMemoryThrottlingAndPressure) {
  Write("kubepods/pod1/memory.current", "4096\n");
  Write("kubepods/pod1/memory.max", "max\n");
  Write("kubepods/pod1/cpu.stat", "usage_usec 1500\nnr_throttled 3\nthrottled_usec 20\n");
  Write("kubepods/pod1/memory.pressure", "some avg10=0.00 total=9\n");
  const auto series = ReadOnce(Path("none"), folder_, "/kubepods/pod1");
  const std::map<std::string, double> expected = {{"cgroup./kubepods/pod1.memory_bytes", 4096},
                                                  {"cgroup./kubepods/pod1.cpu_ns", 1'500'000},
                                                  {"cgroup./kubepods/pod1.throttled_count", 3},
                                                  {"cgroup./kubepods/pod1.throttled_ns", 20'000},
                                                  {"cgroup./kubepods/pod1.pressure_memory_some_ns", 9'000}};
  EXPECT_EQ(series, expected);
}

TEST_F(ControlGroupsTest, Version1HasAFolderForEachController) {
  Write("memory/yarn/c1/memory.usage_in_bytes", "8192\n");
  Write("cpuacct/yarn/c1/cpuacct.usage", "77\n");
  Write("cpu/yarn/c1/cpu.stat", "nr_periods 9\nnr_throttled 2\nthrottled_time 5\n");
  const auto series = ReadOnce(Path("none"), folder_, "/yarn/c1");
  const std::map<std::string, double> expected = {{"cgroup./yarn/c1.memory_bytes", 8192},
                                                  {"cgroup./yarn/c1.cpu_ns", 77},
                                                  {"cgroup./yarn/c1.throttled_count", 2},
                                                  {"cgroup./yarn/c1.throttled_ns", 5}};
  EXPECT_EQ(series, expected);
}

}  // namespace
}  // namespace sparkprof
