// SPDX-License-Identifier: Apache-2.0
#include "monitor/process_table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/testing/folder_test.h"
#include "model/segment/block.h"

namespace sparkprof {
namespace {

// A /proc of plain files.
class ProcessTableTest : public FolderTest {
 protected:
  struct Fake {
    int64_t pid = 0, parent = 1, start = 100;
    int64_t cpu_ticks = 0, children_ticks = 0;
    std::string cmdline = "sleep 60";
    std::string name = "sleep";
    char state = 'S';
  };

  void Put(const Fake& fake) {
    const std::string folder = Path(std::to_string(fake.pid));
    std::filesystem::create_directories(folder);
    std::string cmdline = fake.cmdline;
    std::replace(cmdline.begin(), cmdline.end(), ' ', '\0');
    std::ofstream(folder + "/cmdline") << cmdline;
    // In place, as the kernel changes it: the table keeps it open.
    std::ofstream(folder + "/stat") << fmt::format("{} ({}) {} {} 1 1 0 -1 0 5 0 1 0 {} 0 {} 0 20 0 1 0 {} 8192 2 0\n",
                                                   fake.pid, fake.name, fake.state, fake.parent, fake.cpu_ticks,
                                                   fake.children_ticks, fake.start);
  }

  // Readers that have the file open read nothing from it, as from a process that has ended.
  void Remove(int64_t pid) {
    const std::string folder = Path(std::to_string(pid));
    std::filesystem::resize_file(folder + "/stat", 0);
    std::filesystem::remove_all(folder);
  }

  void Tick(ProcessTable* table, bool others = false) { table->Tick(++time_, others, &segment_); }

  // The written rows, by PID: the last one.
  std::map<int64_t, Process> Processes(const ProcessTable&) {
    Read();
    return processes_;
  }

  double LastOf(int64_t pid, const std::string& series) {
    Read();
    return last_.at({pid, series});
  }

  void Read() {
    const auto status = ReadBlocks(segment_.Take(false), "block", [&](Segment&& segment) {
      for (const Process& process : segment.processes) processes_[process.pid] = process;
      for (const Series& series : segment.series) last_[{series.pid, series.name}] = series.points.back().value;
    });
    ASSERT_TRUE(status) << status.error().message;
  }

  int64_t time_ = 1'000'000'000;
  NodeSegment segment_{Source{}};
  std::map<int64_t, Process> processes_;
  std::map<std::pair<int64_t, std::string>, double> last_;
};

TEST_F(ProcessTableTest, ATreeIsARootWithItsDescendantsOnly) {
  Put({.pid = 10});
  Put({.pid = 11, .parent = 10, .start = 101});
  Put({.pid = 12, .parent = 11, .start = 102});
  Put({.pid = 20});
  ProcessTable table(ProcFolder(folder_), {.pids = {10}}, false);
  Tick(&table);
  EXPECT_EQ(table.TreeSize(), 3u);
  const auto processes = Processes(table);
  EXPECT_EQ(processes.size(), 3u);
  EXPECT_FALSE(processes.contains(20));
  EXPECT_EQ(processes.at(12).parent_pid, 11);
  EXPECT_EQ(processes.at(12).command, "sleep 60");
}

TEST_F(ProcessTableTest, OthersAreReadOnlyWhenTheyAreDue) {
  Put({.pid = 10});
  Put({.pid = 20});
  ProcessTable table(ProcFolder(folder_), {.pids = {10}}, true);
  Tick(&table, true);
  EXPECT_EQ(Processes(table).size(), 2u);
  EXPECT_EQ(table.TreeSize(), 1u);
}

TEST_F(ProcessTableTest, AnOrphanStaysInTheTree) {
  Put({.pid = 10});
  Put({.pid = 11, .parent = 10, .start = 101});
  ProcessTable table(ProcFolder(folder_), {.pids = {10}}, false);
  Tick(&table);
  Remove(10);
  Put({.pid = 11, .parent = 1, .start = 101});
  Tick(&table);
  EXPECT_EQ(table.TreeSize(), 1u);
  EXPECT_EQ(Processes(table).at(11).parent_pid, 10) << "the first parent";
  EXPECT_TRUE(Processes(table).at(10).ended);
}

TEST_F(ProcessTableTest, AReusedIdIsAnotherProcess) {
  Put({.pid = 10});
  Put({.pid = 11, .parent = 10, .start = 101});
  ProcessTable table(ProcFolder(folder_), {.pids = {10}}, false);
  Tick(&table);
  Put({.pid = 11, .parent = 1, .start = 900, .cmdline = "stranger"});
  Tick(&table);
  EXPECT_EQ(table.TreeSize(), 1u);
  const auto processes = Processes(table);
  EXPECT_TRUE(processes.at(11).ended);
  EXPECT_EQ(processes.at(11).start_ticks, 101);
}

TEST_F(ProcessTableTest, ChildrenThatWereNeverSeenCountForTheirParent) {
  Put({.pid = 10});
  Put({.pid = 11, .parent = 10, .start = 101, .cpu_ticks = 30});
  ProcessTable table(ProcFolder(folder_), {.pids = {10}}, false);
  Tick(&table);
  // The child ends after 40 ticks, 10 of them unseen; others used 5.
  Remove(11);
  Put({.pid = 10, .children_ticks = 45});
  Tick(&table);
  const double tick_ns = 1e9 / static_cast<double>(sysconf(_SC_CLK_TCK));
  EXPECT_EQ(LastOf(10, "process.children_cpu_ns"), 45 * tick_ns);
  EXPECT_EQ(LastOf(10, "process.unlisted_children_cpu_ns"), 15 * tick_ns);
}

TEST_F(ProcessTableTest, AChildThatEndsWithItsParentCountsOnlyForItself) {
  Put({.pid = 10});
  Put({.pid = 11, .parent = 10, .start = 101, .cpu_ticks = 2});
  Put({.pid = 12, .parent = 11, .start = 102, .cpu_ticks = 300});
  ProcessTable table(ProcFolder(folder_), {.pids = {10}}, false);
  Tick(&table);
  // The child waited for its own, and the root for the child, between two readings.
  Remove(11);
  Remove(12);
  Put({.pid = 10, .children_ticks = 302});
  Tick(&table);
  EXPECT_EQ(LastOf(10, "process.unlisted_children_cpu_ns"), 0);
}

TEST_F(ProcessTableTest, ProcessesBelowAnExecutorBelongToIt) {
  Put({.pid = 10,
       .cmdline = "java org.apache.spark.executor.CoarseGrainedExecutorBackend --executor-id 3 --app-id app-1-0001",
       .name = "java"});
  Put({.pid = 11, .parent = 10, .start = 101, .cmdline = "python3 -m pyspark.daemon", .name = "python3"});
  Put({.pid = 12, .parent = 11, .start = 102, .cmdline = "python3 -m pyspark.daemon", .name = "python3"});
  Put({.pid = 13, .parent = 12, .start = 103});
  ProcessTable table(ProcFolder(folder_), {.spark = true}, false);
  Tick(&table);
  Tick(&table);
  const auto processes = Processes(table);
  ASSERT_EQ(processes.size(), 4u);
  EXPECT_EQ(processes.at(10).role, "jvm_executor");
  EXPECT_EQ(processes.at(11).role, "python_daemon");
  EXPECT_EQ(processes.at(12).role, "python_worker");
  EXPECT_EQ(processes.at(13).role, "other");
  for (const auto& [pid, process] : processes) {
    EXPECT_EQ(process.application_id, "app-1-0001") << pid;
    EXPECT_EQ(process.executor_id, "3") << pid;
  }
}

TEST_F(ProcessTableTest, SecretsOfACommandLineAreNotWritten) {
  Put({.pid = 10, .cmdline = "job --password hunter2 -Dspark.ssl.keyPassword=hunter2"});
  ProcessTable table(ProcFolder(folder_), {.pids = {10}}, false);
  Tick(&table);
  EXPECT_EQ(Processes(table).at(10).command.find("hunter2"), std::string::npos);
}

TEST_F(ProcessTableTest, AZombieHasEnded) {
  Put({.pid = 10});
  ProcessTable table(ProcFolder(folder_), {.pids = {10}}, false);
  Tick(&table);
  EXPECT_EQ(table.Ended(), 0);
  Put({.pid = 10, .state = 'Z'});
  Tick(&table);
  EXPECT_EQ(table.TreeSize(), 0u);
  EXPECT_EQ(table.Ended(), 1);
  Remove(10);
  Tick(&table);
  EXPECT_EQ(table.Ended(), 1);
}

TEST_F(ProcessTableTest, DamagedFilesOfAProcessHideOnlyThatProcess) {
  Put({.pid = 10});
  Put({.pid = 11, .parent = 10, .start = 101});
  std::ofstream(Path("11/stat")) << "11 (x";
  ProcessTable table(ProcFolder(folder_), {.pids = {10}}, false);
  Tick(&table);
  EXPECT_EQ(table.TreeSize(), 1u);
}

TEST_F(ProcessTableTest, AProcessWhoseMemoryIsLockedKeepsNoOtherFromBeingRead) {
  Put({.pid = 10});
  Put({.pid = 11, .parent = 10, .start = 101});
  // Opening a FIFO blocks until somebody writes.
  std::filesystem::remove(Path("10/cmdline"));
  ASSERT_EQ(mkfifo(Path("10/cmdline").c_str(), 0600), 0);
  ProcessTable table(ProcFolder(folder_), {.pids = {10}}, false);
  Tick(&table);
  EXPECT_EQ(table.TreeSize(), 2u);
  EXPECT_EQ(table.LostReadings(), 1);
  EXPECT_EQ(Processes(table).at(10).command, "[sleep]");
  EXPECT_EQ(Processes(table).at(11).command, "sleep 60");
  Tick(&table);
  EXPECT_EQ(table.LostReadings(), 1) << "not read again at once";
}

TEST(ThisProcess, HasTheValuesOfProc) {
  NodeSegment segment{Source{}};
  ProcessTable table(ProcFolder(), {.pids = {getpid()}}, false);
  table.Tick(1, false, &segment);
  table.Tick(2, false, &segment);
  table.Finish(3, &segment);
  std::map<std::string, double> last;
  ASSERT_TRUE(ReadBlocks(segment.Take(true), "block", [&](Segment&& read) {
    for (const Series& series : read.series) {
      if (series.pid == getpid()) last[series.name] = series.points.back().value;
    }
  }));
  EXPECT_GT(last["process.rss_bytes"], 0);
  EXPECT_GE(last["process.virtual_bytes"], last["process.rss_bytes"]);
  EXPECT_GT(last["process.private_bytes"], 0);
  EXPECT_GE(last["process.threads"], 1);
  EXPECT_GE(last["process.file_descriptors"], 3);
}

}  // namespace
}  // namespace sparkprof
