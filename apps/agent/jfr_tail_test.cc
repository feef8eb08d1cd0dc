// SPDX-License-Identifier: Apache-2.0
#include "jfr_tail.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "testing/sample_chunk.h"

namespace sparkprof {
namespace {

class JfrTailTest : public ::testing::Test {
 protected:
  JfrTailTest() : tail_(std::move(*JfrTail::Create())), file_(open(tail_.Path().c_str(), O_RDWR | O_APPEND)) {}

  void Append(std::string_view bytes) { ASSERT_TRUE(WriteAll(file_.Get(), bytes, "memfd")); }
  std::vector<std::string> Chunks(int64_t before_ns = INT64_MAX) {
    std::vector<std::string> chunks;
    tail_.ReadChunks(before_ns,
                     [&](std::string_view chunk, const JfrChunkHeader&, uint64_t) { chunks.emplace_back(chunk); });
    return chunks;
  }

  JfrTail tail_;
  FileDescriptor file_;
};

TEST_F(JfrTailTest, GivesWholeChunksAndWaitsForTheRest) {
  const std::string chunk = SampleChunk().Cpu(1, 77).Finish();
  Append(chunk + chunk + chunk.substr(0, chunk.size() / 2));
  EXPECT_EQ(Chunks(), (std::vector<std::string>{chunk, chunk}));
  EXPECT_TRUE(Chunks().empty());
  Append(chunk.substr(chunk.size() / 2));
  EXPECT_EQ(Chunks(), std::vector<std::string>{chunk});
  EXPECT_EQ(tail_.DroppedBytes(), 0);
}

TEST_F(JfrTailTest, LeavesChunksThatBeganLater) {
  const std::string first = SampleChunk(100).Finish();
  const std::string second = SampleChunk(200).Finish();
  Append(first + second);
  EXPECT_EQ(Chunks(200), std::vector<std::string>{first});
  EXPECT_TRUE(Chunks(200).empty());
  EXPECT_EQ(Chunks(201), std::vector<std::string>{second});
}

TEST_F(JfrTailTest, GivesTheMemoryBackBehindItself) {
  SampleChunk large;
  for (int i = 0; i < 100'000; ++i) large.Cpu(i, 77);
  const std::string chunk = large.Finish();
  ASSERT_GT(chunk.size(), 500'000u);
  for (int i = 0; i < 20; ++i) {
    Append(chunk);
    EXPECT_EQ(Chunks().size(), 1u);
  }
  struct stat status;
  ASSERT_EQ(fstat(file_.Get(), &status), 0);
  EXPECT_LE(status.st_blocks * 512, 8192);
}

TEST_F(JfrTailTest, CountsBytesThatAreNoChunkAndGoesOnAfterThem) {
  const std::string chunk = SampleChunk().Cpu(1, 77).Finish();
  Append(std::string(1000, 'x'));
  EXPECT_TRUE(Chunks().empty());
  EXPECT_EQ(tail_.DroppedBytes(), 1000);
  Append(chunk);
  EXPECT_EQ(Chunks().size(), 1u);
}

TEST_F(JfrTailTest, StartsAgainWhenTheProfilerTruncatesTheFile) {
  const std::string chunk = SampleChunk().Cpu(1, 77).Finish();
  Append(chunk);
  EXPECT_EQ(Chunks().size(), 1u);
  ASSERT_EQ(ftruncate(file_.Get(), 0), 0);
  EXPECT_TRUE(Chunks().empty());
  Append(chunk);
  EXPECT_EQ(Chunks().size(), 1u);
}

}  // namespace
}  // namespace sparkprof
