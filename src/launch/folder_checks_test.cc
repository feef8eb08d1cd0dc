// SPDX-License-Identifier: Apache-2.0
#include "launch/folder_checks.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

TEST(FolderChecksTest, ALimitOfFileSizesBelow64MebibytesRulesProfilingOut) {
  EXPECT_EQ(JudgeFileSize(INT64_MAX).status, CheckStatus::kOk);
  EXPECT_EQ(JudgeFileSize(kLeastFileSize).status, CheckStatus::kOk);
  const Check check = JudgeFileSize(2000 << 10);
  EXPECT_EQ(check.status, CheckStatus::kMissing);
  EXPECT_NE(check.finding.find("ulimit -f"), std::string::npos) << check.finding;
}

TEST(FolderChecksTest, TemporaryFoldersAreThoseOfTheJob) {
  const SubmitRequest request{{"spark-submit", "--conf", "spark.local.dir=/a,/b", "--conf",
                               "spark.driver.extraJavaOptions=-Dx=y -Djava.io.tmpdir=/java", "job.py"},
                              {{"SPARK_LOCAL_DIRS", "/c"}},
                              "",
                              {}};
  const std::vector<std::string> folders = TemporaryFolders(request);
  EXPECT_EQ(std::vector<std::string>(folders.begin(), folders.begin() + 5),
            (std::vector<std::string>{"/java", "/a", "/b", "/c", "/dev/shm"}));
}

TEST(FolderChecksTest, OneUsableFolderSuffices) {
  const std::string good = testing::TempDir();
  EXPECT_EQ(CheckTemporaryFolders({"/none/such", good}).status, CheckStatus::kOk);
  const Check check = CheckTemporaryFolders({"/none/such", "/proc"});
  EXPECT_EQ(check.status, CheckStatus::kMissing);
  EXPECT_NE(check.finding.find("cannot write to /none/such"), std::string::npos) << check.finding;
}

TEST(FolderChecksTest, ExecutorsOfAClusterOnThisMachineNeedRoomForTheJar) {
  // /proc has no room at all.
  const auto check = [](const std::string& master) {
    return CheckRoomForJar(
        {{"spark-submit", "--master", master, "--conf", "spark.local.dir=/proc", "job.py"}, {}, "", {}});
  };
  EXPECT_EQ(check("spark://localhost:7077").status, CheckStatus::kMissing);
  EXPECT_EQ(check("spark://127.0.0.2:7077").status, CheckStatus::kMissing);
  EXPECT_EQ(check("spark://master.example.com:7077").status, CheckStatus::kOk);
  EXPECT_EQ(check("local[2]").status, CheckStatus::kOk);
  EXPECT_EQ(check("yarn").status, CheckStatus::kOk);
}

TEST(FolderChecksTest, WritingLeavesNothing) {
  const std::string folder = testing::TempDir() + "folder_checks_" + std::to_string(getpid());
  fs::create_directories(folder);
  EXPECT_TRUE(TryWriting(folder));
  EXPECT_TRUE(fs::is_empty(folder));
  fs::remove_all(folder);
  EXPECT_FALSE(TryWriting(folder));
}

}  // namespace
}  // namespace sparkprof
