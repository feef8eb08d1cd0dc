// SPDX-License-Identifier: Apache-2.0
#include "base/io/private_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>

#include "base/io/file.h"
#include "base/system.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kAttacker = 65534;

mode_t ModeOf(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

// In a process of the attacker's.
void AsAttacker(const std::function<bool()>& act) {
  const pid_t child = fork();
  if (child == 0) _exit(setuid(kAttacker) == 0 && act() ? 0 : 1);
  int status = 1;
  waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
}

class PrivateFileTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    fs::create_directories(folder_ + "/shared");
    chmod(folder_.c_str(), 0755);
    chmod((folder_ + "/shared").c_str(), 01777);
    EXPECT_TRUE(WriteFile(victim_, "victim"));
  }
  void TearDown() override {
    SetSharing(Sharing::kPrivate);
    umask(022);
    fs::remove_all(folder_);
  }

  const std::string folder_ = testing::TempDir() + "sparkprof_private_file_test_" + std::to_string(::getpid());
  const std::string victim_ = folder_ + "/victim";
  const std::string planted_ = folder_ + "/shared/out";
};

TEST_F(PrivateFileTest, ModesAreTheOwnersOnlyWhateverTheUmask) {
  for (const mode_t mask : {0000, 0022, 0777}) {
    umask(mask);
    const std::string folder = folder_ + "/new" + std::to_string(mask);
    ASSERT_TRUE(CreateFolders(folder + "/deep"));
    EXPECT_EQ(ModeOf(folder), 0700u);
    EXPECT_EQ(ModeOf(folder + "/deep"), 0700u);
    ASSERT_TRUE(WriteFile(folder + "/file", "x"));
    EXPECT_EQ(ModeOf(folder + "/file"), 0600u);
  }
}

TEST_F(PrivateFileTest, SharingOpensFilesAndFoldersForReading) {
  umask(0077);
  SetSharing(Sharing::kGroup);
  ASSERT_TRUE(CreateFolders(folder_ + "/group"));
  ASSERT_TRUE(WriteFile(folder_ + "/group/file", "x"));
  EXPECT_EQ(ModeOf(folder_ + "/group"), 0750u);
  EXPECT_EQ(ModeOf(folder_ + "/group/file"), 0640u);
  SetSharing(Sharing::kAll);
  ASSERT_TRUE(CreateFolders(folder_ + "/all"));
  ASSERT_TRUE(WriteFile(folder_ + "/all/file", "x"));
  EXPECT_EQ(ModeOf(folder_ + "/all"), 0755u);
  EXPECT_EQ(ModeOf(folder_ + "/all/file"), 0644u);
  EXPECT_FALSE(ParseSharing("everybody"));
}

TEST_F(PrivateFileTest, AFolderLosesThePermissionsOfOthersWithAllThatIsInIt) {
  const std::string data = folder_ + "/data";
  fs::create_directories(data + "/deep/deeper");
  fs::create_directories(folder_ + "/elsewhere");
  for (const std::string file : {"/file", "/deep/file", "/deep/deeper/file"}) ASSERT_TRUE(WriteFile(data + file, "x"));
  ASSERT_TRUE(WriteFile(folder_ + "/elsewhere/file", "x"));
  fs::create_directory_symlink(folder_ + "/elsewhere", data + "/link");
  fs::create_directory_symlink(data, data + "/deep/loop");
  fs::create_symlink(folder_ + "/nowhere", data + "/dangling");
  for (const std::string path : {"", "/deep", "/deep/deeper"}) chmod((data + path).c_str(), 0777);
  for (const std::string path : {"/file", "/deep/file", "/deep/deeper/file"}) chmod((data + path).c_str(), 0666);
  for (const std::string path : {"/elsewhere", "/elsewhere/file"}) chmod((folder_ + path).c_str(), 0777);
  EXPECT_FALSE(RestrictFolder(data)) << "a loop of links";
  fs::remove(data + "/deep/loop");
  ASSERT_TRUE(RestrictFolder(data));
  for (const std::string path : {"", "/deep", "/deep/deeper", "/link"}) EXPECT_EQ(ModeOf(data + path), 0700u) << path;
  for (const std::string path : {"/file", "/deep/file", "/deep/deeper/file", "/link/file"}) {
    EXPECT_EQ(ModeOf(data + path), 0600u) << path;
  }
  EXPECT_EQ(*RestrictFolder(data), 0u);
  SetSharing(Sharing::kGroup);
  chmod((data + "/file").c_str(), 0666);
  EXPECT_EQ(*RestrictFolder(data), 1u);
  EXPECT_EQ(ModeOf(data + "/file"), 0640u);
}

TEST_F(PrivateFileTest, WhatAnotherUserPlantedInAFolderIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can act as another user";
  const std::string data = folder_ + "/data";
  fs::create_directories(data);
  for (const bool is_link : {true, false}) {
    chmod(data.c_str(), 0777);
    AsAttacker([&] {
      return is_link ? symlink(victim_.c_str(), (data + "/planted").c_str()) == 0
                     : open((data + "/planted").c_str(), O_CREAT | O_WRONLY, 0666) >= 0;
    });
    const Result<size_t> restricted = RestrictFolder(data);
    ASSERT_FALSE(restricted);
    EXPECT_NE(restricted.error().message.find("/planted: belongs to another user"), std::string::npos);
    fs::remove(data + "/planted");
  }
  EXPECT_TRUE(RestrictFolder(data));
}

TEST_F(PrivateFileTest, TheUmaskOfStartedProgramsIsTheirUsers) {
  umask(0022);
  RestrictUmask();
  const FileDescriptor file(open((folder_ + "/by-a-library").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0666));
  EXPECT_EQ(ModeOf(folder_ + "/by-a-library"), 0600u);
  int status = 1;
  const StartedProcess started = StartProcess({"touch", folder_ + "/by-a-program"}, [] {});
  waitpid(started.pid, &status, 0);
  EXPECT_EQ(ModeOf(folder_ + "/by-a-program"), 0644u);
  RestoreUmask();
}

TEST_F(PrivateFileTest, AReplacedFileNeverBecomesMoreReadable) {
  SetSharing(Sharing::kAll);
  chmod(victim_.c_str(), 0640);
  ASSERT_TRUE(WriteFile(victim_, "new"));
  EXPECT_EQ(ModeOf(victim_), 0640u);
  SetSharing(Sharing::kPrivate);
  ASSERT_TRUE(WriteFile(victim_, "newer"));
  EXPECT_EQ(ModeOf(victim_), 0600u);
}

TEST_F(PrivateFileTest, ANewFileIsNeverAnythingThatIsThere) {
  fs::create_symlink(victim_, planted_);
  EXPECT_FALSE(CreateNewFile(planted_, O_WRONLY));
  EXPECT_FALSE(CreateNewFolder(planted_));
  fs::remove(planted_);
  fs::create_symlink(folder_ + "/dangling", planted_);
  EXPECT_FALSE(CreateNewFile(planted_, O_WRONLY));
  EXPECT_FALSE(fs::exists(folder_ + "/dangling"));
  fs::remove(planted_);
  fs::create_hard_link(victim_, planted_);
  EXPECT_FALSE(CreateNewFile(planted_, O_WRONLY));
  EXPECT_EQ(ReadFile(victim_).value(), "victim");
}

TEST_F(PrivateFileTest, UnguessableNamesAreAllDifferent) {
  std::string one = folder_ + "/spool-", two = one;
  ASSERT_TRUE(CreateUnguessableFile(&one, ".sprof", O_RDWR));
  ASSERT_TRUE(CreateUnguessableFile(&two, ".sprof", O_RDWR));
  EXPECT_NE(one, two);
  EXPECT_TRUE(one.ends_with(".sprof"));
  EXPECT_EQ(ModeOf(one), 0600u);
}

TEST_F(PrivateFileTest, OnesOwnLinksAreFollowed) {
  fs::create_symlink(victim_, planted_);
  ASSERT_TRUE(WriteFile(planted_, "mine"));
  EXPECT_EQ(ReadFile(victim_).value(), "mine");
  EXPECT_TRUE(fs::is_symlink(planted_));
}

class PlantedTest : public PrivateFileTest {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can act as another user";
    PrivateFileTest::SetUp();
  }
};

TEST_F(PlantedTest, AnotherUsersLinkIsRefusedAndWhatIsBehindItUnchanged) {
  AsAttacker([&] { return symlink(victim_.c_str(), planted_.c_str()) == 0; });
  const Result<void> written = WriteFile(planted_, "report");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message,
            planted_ + ": a symbolic link of another user in a world-writable folder; use another name");
  EXPECT_EQ(ReadFile(victim_).value(), "victim");
}

TEST_F(PlantedTest, AnotherUsersLinkToAFolderIsRefused) {
  AsAttacker([&] { return symlink(folder_.c_str(), planted_.c_str()) == 0; });
  EXPECT_FALSE(CreateFolders(planted_ + "/made"));
  EXPECT_FALSE(WriteFile(planted_ + "/victim", "report"));
  EXPECT_FALSE(fs::exists(folder_ + "/made"));
  EXPECT_EQ(ReadFile(victim_).value(), "victim");
}

TEST_F(PlantedTest, AnotherUsersLinkBehindOnesOwnIsRefused) {
  AsAttacker([&] { return symlink(victim_.c_str(), planted_.c_str()) == 0; });
  fs::create_symlink("shared/out", folder_ + "/own");
  EXPECT_FALSE(WriteFile(folder_ + "/own", "report"));
  EXPECT_EQ(ReadFile(victim_).value(), "victim");
}

TEST_F(PlantedTest, AnotherUsersPipeGetsNothing) {
  AsAttacker([&] { return mkfifo(planted_.c_str(), 0666) == 0; });
  const FileDescriptor reader(open(planted_.c_str(), O_RDONLY | O_NONBLOCK));
  EXPECT_FALSE(WriteFile(planted_, "report"));
  char byte;
  EXPECT_EQ(read(reader.Get(), &byte, 1), 0);
}

TEST_F(PlantedTest, AnotherUsersFileOfThatNameIsReplacedNotWrittenTo) {
  AsAttacker([&] { return open(planted_.c_str(), O_CREAT | O_RDWR, 0666) >= 0; });
  const FileDescriptor held(open(planted_.c_str(), O_RDONLY));
  ASSERT_TRUE(WriteFile(planted_, "report"));  // root may rename over it
  char byte;
  EXPECT_EQ(read(held.Get(), &byte, 1), 0);
  EXPECT_EQ(ModeOf(planted_), 0600u);
}

}  // namespace
}  // namespace sparkprof
