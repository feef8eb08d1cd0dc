// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/compression.h"

namespace sparkprof {
namespace {

class FileTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string folder_ = testing::TempDir() + "sparkprof_file_test_" + std::to_string(::getpid());
};

TEST_F(FileTest, ReadsWhatWasWritten) {
  const std::string path = folder_ + "/a";
  ASSERT_TRUE(WriteFile(path, "hello"));
  EXPECT_EQ(ReadFile(path).value(), "hello");
  EXPECT_EQ(MappedFile::Open(path)->Bytes(), "hello");
}

TEST_F(FileTest, MapsAnEmptyFile) {
  ASSERT_TRUE(WriteFile(folder_ + "/empty", ""));
  EXPECT_EQ(MappedFile::Open(folder_ + "/empty")->Bytes(), "");
}

TEST_F(FileTest, LeavesNothingBehindWhenWritingFails) {
  std::filesystem::create_directories(folder_ + "/taken");
  EXPECT_FALSE(WriteFile(folder_ + "/taken", "x"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(FileTest, ErrorsNameThePathAndTheReason) {
  const auto result = ReadFile(folder_ + "/absent");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, folder_ + "/absent: cannot open: No such file or directory");
}

TEST(CompressionTest, RoundTripsAndRefusesMoreThanAllowed) {
  const std::string text(100'000, 'x');
  const std::string packed = ZstdCompress(text);
  EXPECT_LT(packed.size(), 1000u);
  EXPECT_EQ(ZstdDecompress(packed, text.size()).value(), text);
  EXPECT_FALSE(ZstdDecompress(packed, text.size() - 1));
  EXPECT_FALSE(ZstdDecompress("not zstd", 100));
  EXPECT_FALSE(ZstdDecompress(std::string_view(packed).substr(0, packed.size() / 2), text.size()));
}

}  // namespace
}  // namespace sparkprof
