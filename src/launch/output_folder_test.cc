// SPDX-License-Identifier: Apache-2.0
#include "launch/output_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include <filesystem>

#include "base/io/file.h"
#include "base/testing/folder_test.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

class RunOutputTest : public FolderTest {
 protected:
  bool created_ = false;
};

TEST_F(RunOutputTest, MakesANewFolder) {
  const auto output = PrepareOutputFolder(Path("a/b/"), &created_);
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
  EXPECT_TRUE(fs::exists(Path("report.html")));
  EXPECT_TRUE(fs::is_empty(Path("segments")));
}

TEST_F(RunOutputTest, RefusesAFolderWithOtherThings) {
  Write("thesis.tex", "mine");
  const auto output = PrepareOutputFolder(folder_, &created_);
  ASSERT_FALSE(output);
  EXPECT_NE(output.error().message.find("contains thesis.tex"), std::string::npos);
  EXPECT_FALSE(fs::exists(Path("segments")));
}

TEST_F(RunOutputTest, RefusesAFile) {
  Write("file", "x");
  EXPECT_FALSE(PrepareOutputFolder(Path("file"), &created_));
}

TEST_F(RunOutputTest, FindsNewRecordingsOnly) {
  Write("app/driver.sprof", "a");
  Write("app/notes.txt", "b");
  const std::vector<std::string> before = FindRecordings(folder_);
  Write("app/1.sprof", "c");
  EXPECT_EQ(before, std::vector<std::string>{Path("app/driver.sprof")});
  EXPECT_EQ(FindRecordings(folder_, {before.begin(), before.end()}), std::vector<std::string>{Path("app/1.sprof")});
  EXPECT_TRUE(FindRecordings(Path("none")).empty());
}

TEST_F(RunOutputTest, JoinsRecordingsInOrder) {
  Write("1.sprof", std::string(200'000, 'a'));
  Write("2.sprof", "");
  Write("3.sprof", "bc");
  ASSERT_TRUE(JoinRecordings(FindRecordings(folder_), Path("recording.sprof"), "de"));
  EXPECT_EQ(ReadFile(Path("recording.sprof")).value(), std::string(200'000, 'a') + "bcde");
}

TEST_F(RunOutputTest, AFailedJoinLeavesNothing) {
  Write("1.sprof", "a");
  EXPECT_FALSE(JoinRecordings({Path("1.sprof"), Path("none.sprof")}, Path("recording.sprof")));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

TEST_F(RunOutputTest, WaitsWhileAnAgentHoldsItsLock) {
  Write("1.sprof", "a");
  EXPECT_TRUE(WaitForAgents({folder_}, {}, 0));
  FileDescriptor agent(open(Path("1.sprof").c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_EQ(flock(agent.Get(), LOCK_EX), 0);
  EXPECT_FALSE(WaitForAgents({folder_}, {}, 30));
  EXPECT_TRUE(WaitForAgents({folder_}, {Path("1.sprof")}, 0));
  agent.Close();
  EXPECT_TRUE(WaitForAgents({folder_}, {}, 0));
}

}  // namespace
}  // namespace sparkprof
