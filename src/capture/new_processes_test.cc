// SPDX-License-Identifier: Apache-2.0
#include "capture/new_processes.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/testing/folder_test.h"

namespace sparkprof {
namespace {

// A /proc with processes of our own.
class NewProcessesTest : public FolderTest {
 protected:
  NewProcessesTest() { Start(7); }

  void Start(int64_t pid) {
    std::filesystem::create_directories(Path(std::to_string(pid)));
    Write("loadavg", "0.00 0.00 0.00 1/100 " + std::to_string(pid) + "\n");
  }
};

TEST_F(NewProcessesTest, FindsEachProcessOnce) {
  const ProcFolder proc(folder_);
  NewProcesses processes(proc);
  EXPECT_EQ(processes.Find(proc), std::vector<int64_t>{7});
  EXPECT_TRUE(processes.Find(proc).empty());
  Start(9);
  EXPECT_EQ(processes.Find(proc), std::vector<int64_t>{9});
  EXPECT_TRUE(processes.Find(proc).empty());
}

TEST_F(NewProcessesTest, FindsAnIdAgainThatWasForgotten) {
  const ProcFolder proc(folder_);
  NewProcesses processes(proc);
  processes.Find(proc);
  processes.Forget(7);
  EXPECT_EQ(processes.Find(proc), std::vector<int64_t>{7});
}

TEST_F(NewProcessesTest, ListsAllFromTimeToTimeBecauseIdsAreReused) {
  const ProcFolder proc(folder_);
  NewProcesses processes(proc);
  int found = 0;
  for (int call = 0; call < 65; ++call) found += processes.Find(proc).size() == 1 ? 1 : 0;
  EXPECT_EQ(found, 2);
}

}  // namespace
}  // namespace sparkprof
