// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "base/io/file.h"

namespace sparkprof {
namespace {

TEST(MappedFaultsTest, AFileThatBecomesShorterReadsAsZeros) {
  struct sigaction before;
  sigaction(SIGBUS, nullptr, &before);
  ReadZerosInMappedFaults();
  const std::string path = testing::TempDir() + "mapped_faults_test_" + std::to_string(getpid());
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  ASSERT_TRUE(WriteFile(path, std::string(3 * page - 7, 'x')));
  {
    const Result<MappedFile> file = MappedFile::Open(path);
    ASSERT_TRUE(file);
    ASSERT_EQ(truncate(path.c_str(), static_cast<off_t>(page)), 0);
    EXPECT_EQ(file->Bytes()[0], 'x');
    EXPECT_EQ(file->Bytes()[page], '\0');
    EXPECT_EQ(file->Bytes().back(), '\0');
  }
  sigaction(SIGBUS, &before, nullptr);
  unlink(path.c_str());
}

}  // namespace
}  // namespace sparkprof
