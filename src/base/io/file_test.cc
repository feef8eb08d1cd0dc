// SPDX-License-Identifier: Apache-2.0
#include "base/io/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/io/compression.h"
#include "base/testing/folder_test.h"

namespace sparkprof {
namespace {

using FileTest = FolderTest;

TEST_F(FileTest, ReadsWhatWasWritten) {
  const std::string path = Path("a");
  ASSERT_TRUE(WriteFile(path, "hello"));
  EXPECT_EQ(ReadFile(path).value(), "hello");
  EXPECT_EQ(MappedFile::Open(path)->Bytes(), "hello");
}

TEST_F(FileTest, MapsAnEmptyFile) {
  ASSERT_TRUE(WriteFile(Path("empty"), ""));
  EXPECT_EQ(MappedFile::Open(Path("empty"))->Bytes(), "");
}

TEST_F(FileTest, LeavesNothingBehindWhenWritingFails) {
  std::filesystem::create_directories(Path("taken"));
  EXPECT_FALSE(WriteFile(Path("taken"), "x"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(FileTest, APipeIsWrittenToAndStaysAPipe) {
  const std::string path = Path("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const FileDescriptor reader(open(path.c_str(), O_RDONLY | O_NONBLOCK));
  ASSERT_TRUE(WriteFile(path, "hello"));
  char got[8];
  EXPECT_EQ(read(reader.Get(), got, sizeof got), 5);
  EXPECT_TRUE(std::filesystem::is_fifo(path));
}

TEST_F(FileTest, ASymbolicLinkStaysOneAndWhatIsBehindItIsWritten) {
  ASSERT_TRUE(WriteFile(Path("file"), "old"));
  std::filesystem::create_symlink("file", Path("link"));
  ASSERT_TRUE(WriteFile(Path("link"), "new"));
  EXPECT_EQ(ReadFile(Path("file")).value(), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(Path("link")));
}

TEST_F(FileTest, APipeThatNobodyWritesToIsAnErrorAfterTheWait) {
  const std::string path = Path("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const auto opened = OpenInput(path, 0);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().message,
            path + ": no program opened this pipe for writing within 0 s; start the writer first");
}

TEST_F(FileTest, APipeWithASilentWriterIsOpened) {
  const std::string path = Path("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const FileDescriptor writer(open(path.c_str(), O_RDWR));
  const auto opened = OpenInput(path, 0);
  ASSERT_TRUE(opened);
  ASSERT_EQ(write(writer.Get(), "hello", 5), 5);
  char got[8];
  EXPECT_EQ(read(opened->Get(), got, sizeof got), 5);
}

TEST_F(FileTest, ErrorsNameThePathAndTheReason) {
  const auto result = ReadFile(Path("absent"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, Path("absent") + ": cannot open: No such file or directory");
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
