// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
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

TEST_F(FileTest, APipeIsWrittenToAndStaysAPipe) {
  const std::string path = folder_ + "/pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const FileDescriptor reader(open(path.c_str(), O_RDONLY | O_NONBLOCK));
  ASSERT_TRUE(WriteFile(path, "hello"));
  char got[8];
  EXPECT_EQ(read(reader.Get(), got, sizeof got), 5);
  EXPECT_TRUE(std::filesystem::is_fifo(path));
}

TEST_F(FileTest, ASymbolicLinkStaysOneAndWhatIsBehindItIsWritten) {
  ASSERT_TRUE(WriteFile(folder_ + "/file", "old"));
  std::filesystem::create_symlink("file", folder_ + "/link");
  ASSERT_TRUE(WriteFile(folder_ + "/link", "new"));
  EXPECT_EQ(ReadFile(folder_ + "/file").value(), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ + "/link"));
}

TEST_F(FileTest, APipeThatNobodyWritesToIsAnErrorAfterTheWait) {
  const std::string path = folder_ + "/pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const auto opened = OpenInput(path, 0);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().message,
            path + ": no program opened this pipe for writing within 0 s; start the writer first");
}

TEST_F(FileTest, APipeWithASilentWriterIsOpened) {
  const std::string path = folder_ + "/pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const FileDescriptor writer(open(path.c_str(), O_RDWR));
  const auto opened = OpenInput(path, 0);
  ASSERT_TRUE(opened);
  ASSERT_EQ(write(writer.Get(), "hello", 5), 5);
  char got[8];
  EXPECT_EQ(read(opened->Get(), got, sizeof got), 5);
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
