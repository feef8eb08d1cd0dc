// SPDX-License-Identifier: Apache-2.0
#include "monitor/recording_file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <string>

#include "base/testing/folder_test.h"

namespace sparkprof {
namespace {

using RecordingFileTest = FolderTest;

TEST_F(RecordingFileTest, AFileThatExistsIsKeptAndTheNextOneHasANumber) {
  for (const char* const name : {"/a/host.sprof", "/a/host-2.sprof", "/a/host-3.sprof"}) {
    Result<RecordingFile> file = RecordingFile::Create(Path("a"), "host");
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(file->Path(), folder_ + name);
    EXPECT_TRUE(file->Append(name));
  }
  EXPECT_EQ(ReadFile(Path("a/host.sprof")).value(), "/a/host.sprof");
}

TEST_F(RecordingFileTest, BlocksFollowEachOther) {
  Result<RecordingFile> file = RecordingFile::Create(folder_, "host");
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->Append("first "));
  EXPECT_TRUE(file->Append("second"));
  EXPECT_EQ(file->Size(), 12);
  EXPECT_EQ(ReadFile(file->Path()).value(), "first second");
}

TEST_F(RecordingFileTest, ABlockThatDoesNotFitLeavesNoPart) {
  Result<RecordingFile> file = RecordingFile::Create(folder_, "host");
  ASSERT_TRUE(file);
  // The kernel writes the part of a block that the limit allows.
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  const rlimit ten_bytes{10, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &ten_bytes), 0);
  const Result<void> first = file->Append("first ");
  const Result<void> second = file->Append("second");
  const Result<void> third = file->Append("3rd");
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  EXPECT_TRUE(first);
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("host.sprof"), std::string::npos) << second.error().message;
  EXPECT_TRUE(third);
  EXPECT_EQ(file->Size(), 9);
  EXPECT_EQ(ReadFile(file->Path()).value(), "first 3rd");
}

TEST_F(RecordingFileTest, AFolderThatCannotBeMadeIsAnError) {
  ASSERT_TRUE(WriteFile(Path("file"), ""));
  EXPECT_FALSE(RecordingFile::Create(Path("file/sub"), "host"));
  EXPECT_FALSE(MonitorLock::Take(Path("file/sub"), "h1"));
}

TEST_F(RecordingFileTest, OneMonitorOfAHostWritesToAFolder) {
  {
    const Result<MonitorLock> held = MonitorLock::Take(folder_, "h1");
    ASSERT_TRUE(held) << held.error().message;
    const Result<MonitorLock> second = MonitorLock::Take(folder_, "h1");
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().message, folder_ + ": another monitor of this host writes here (process " +
                                          std::to_string(getpid()) + "); stop it, or use another folder");
    EXPECT_TRUE(MonitorLock::Take(folder_, "h2")) << "another host";
  }
  EXPECT_TRUE(MonitorLock::Take(folder_, "h1")) << "it has ended";
}

}  // namespace
}  // namespace sparkprof
