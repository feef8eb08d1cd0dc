// SPDX-License-Identifier: Apache-2.0
#include "launch/output_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

class RunOutputTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  void Write(const std::string& name, std::string_view content) {
    fs::create_directories(fs::path(folder_ + "/" + name).parent_path());
    ASSERT_TRUE(WriteFile(folder_ + "/" + name, content));
  }

  std::string folder_ = testing::TempDir() + "sparkprof_run_output_test_" + std::to_string(getpid());
  bool created_ = false;
};

TEST_F(RunOutputTest, MakesANewFolder) {
  const auto output = PrepareOutputFolder(folder_ + "/a/b/", &created_);
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_TRUE(created_);
  EXPECT_TRUE(fs::is_directory(*output + "/segments"));
}

TEST_F(RunOutputTest, UsesAnEarlierRunsFolderAgainAndForgetsItsSegments) {
  Write("report.html", "old");
  Write("recording.sprof.part-17", "left by a killed run");
  Write("segments/app/1.sprof", "old");
  ASSERT_TRUE(PrepareOutputFolder(folder_, &created_));
  EXPECT_FALSE(created_);
  EXPECT_TRUE(fs::exists(folder_ + "/report.html"));
  EXPECT_TRUE(fs::is_empty(folder_ + "/segments"));
}

TEST_F(RunOutputTest, RefusesAFolderWithOtherThings) {
  Write("thesis.tex", "mine");
  const auto output = PrepareOutputFolder(folder_, &created_);
  ASSERT_FALSE(output);
  EXPECT_NE(output.error().message.find("contains thesis.tex"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder_ + "/segments"));
}

TEST_F(RunOutputTest, RefusesAFile) {
  Write("file", "x");
  EXPECT_FALSE(PrepareOutputFolder(folder_ + "/file", &created_));
}

TEST_F(RunOutputTest, FindsNewRecordingsOnly) {
  Write("app/driver.sprof", "a");
  Write("app/notes.txt", "b");
  const std::vector<std::string> before = FindRecordings(folder_);
  Write("app/1.sprof", "c");
  EXPECT_EQ(before, std::vector<std::string>{folder_ + "/app/driver.sprof"});
  EXPECT_EQ(FindRecordings(folder_, {before.begin(), before.end()}),
            std::vector<std::string>{folder_ + "/app/1.sprof"});
  EXPECT_TRUE(FindRecordings(folder_ + "/none").empty());
}

TEST_F(RunOutputTest, JoinsRecordingsInOrder) {
  Write("1.sprof", std::string(200'000, 'a'));
  Write("2.sprof", "");
  Write("3.sprof", "bc");
  ASSERT_TRUE(JoinRecordings(FindRecordings(folder_), folder_ + "/recording.sprof", "de"));
  EXPECT_EQ(ReadFile(folder_ + "/recording.sprof").value(), std::string(200'000, 'a') + "bcde");
}

TEST_F(RunOutputTest, AFailedJoinLeavesNothing) {
  Write("1.sprof", "a");
  EXPECT_FALSE(JoinRecordings({folder_ + "/1.sprof", folder_ + "/none.sprof"}, folder_ + "/recording.sprof"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

TEST_F(RunOutputTest, WaitsWhileAnAgentHoldsItsLock) {
  Write("1.sprof", "a");
  EXPECT_TRUE(WaitForAgents({folder_}, {}, 0));
  FileDescriptor agent(open((folder_ + "/1.sprof").c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_EQ(flock(agent.Get(), LOCK_EX), 0);
  EXPECT_FALSE(WaitForAgents({folder_}, {}, 30));
  EXPECT_TRUE(WaitForAgents({folder_}, {folder_ + "/1.sprof"}, 0));
  agent.Close();
  EXPECT_TRUE(WaitForAgents({folder_}, {}, 0));
}

}  // namespace
}  // namespace sparkprof
