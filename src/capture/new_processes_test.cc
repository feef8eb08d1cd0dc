// SPDX-License-Identifier: Apache-2.0
#include "capture/new_processes.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace sparkprof {
namespace {

// A /proc with processes of our own.
class NewProcessesTest : public testing::Test {
 protected:
  NewProcessesTest() { Start(7); }
  ~NewProcessesTest() override { std::filesystem::remove_all(path_); }

  void Start(int64_t pid) {
    std::filesystem::create_directories(path_ / std::to_string(pid));
    std::ofstream(path_ / "loadavg") << "0.00 0.00 0.00 1/100 " << pid << "\n";
  }

  const std::filesystem::path path_ = testing::TempDir() + "new_processes_" + std::to_string(getpid());
};

TEST_F(NewProcessesTest, FindsEachProcessOnce) {
  const ProcFolder proc(path_);
  NewProcesses processes(proc);
  EXPECT_EQ(processes.Find(proc), std::vector<int64_t>{7});
  EXPECT_TRUE(processes.Find(proc).empty());
  Start(9);
  EXPECT_EQ(processes.Find(proc), std::vector<int64_t>{9});
  EXPECT_TRUE(processes.Find(proc).empty());
}

TEST_F(NewProcessesTest, FindsAnIdAgainThatWasForgotten) {
  const ProcFolder proc(path_);
  NewProcesses processes(proc);
  processes.Find(proc);
  processes.Forget(7);
  EXPECT_EQ(processes.Find(proc), std::vector<int64_t>{7});
}

TEST_F(NewProcessesTest, ListsAllFromTimeToTimeBecauseIdsAreReused) {
  const ProcFolder proc(path_);
  NewProcesses processes(proc);
  int found = 0;
  for (int call = 0; call < 65; ++call) found += processes.Find(proc).size() == 1 ? 1 : 0;
  EXPECT_EQ(found, 2);
}

}  // namespace
}  // namespace sparkprof
