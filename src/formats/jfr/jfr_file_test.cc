// SPDX-License-Identifier: Apache-2.0
#include "formats/jfr/jfr_file.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>

#include "base/file.h"
#include "formats/jfr/testing/event_recorder.h"
#include "formats/jfr/testing/example_chunk.h"

namespace sparkprof {
namespace {

using testing::EventRecorder;
using testing::ExampleChunk;
using testing::Writer;

class JfrFileTest : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  Result<JfrFileStatus> Read(const std::string& content) {
    EXPECT_TRUE(WriteFile(path_, content));
    return ReadJfrFile(path_, &recorder_.strings, &recorder_.frames, &recorder_.stacks, &recorder_);
  }

  const std::string path_ = ::testing::TempDir() + "sparkprof_jfr_file_test_" +
                            ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".jfr";
  EventRecorder recorder_;
};

TEST_F(JfrFileTest, ChunksOfDifferentWritersFollowEachOther) {
  const auto status = Read(ExampleChunk(Writer::kAsyncProfiler) +
                           ExampleChunk(Writer::kJdk, {.reverse_fields = true, .first_type_id = 500}));
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(status->chunks, 2u);
  EXPECT_EQ(status->events, 42u);
  EXPECT_EQ(status->trailing_bytes, 0u);
  EXPECT_EQ(recorder_.samples.size(), 28u);
  EXPECT_EQ(recorder_.samples[0].stack, recorder_.samples[14].stack);
}

TEST_F(JfrFileTest, ACutLastChunkIsCounted) {
  const std::string chunk = ExampleChunk(Writer::kAsyncProfiler);
  const auto status = Read(chunk + chunk.substr(0, 100));
  ASSERT_TRUE(status);
  EXPECT_EQ(status->chunks, 1u);
  EXPECT_EQ(status->trailing_bytes, 100u);
  EXPECT_EQ(status->first_error, path_ + ": offset " + std::to_string(chunk.size()) +
                                     ": the last chunk is not whole: 100 bytes of it are there");
}

TEST_F(JfrFileTest, ForeignBytesAfterAChunkAreCounted) {
  const auto status = Read(ExampleChunk(Writer::kAsyncProfiler) + "garbage");
  ASSERT_TRUE(status);
  EXPECT_EQ(status->trailing_bytes, 7u);
  EXPECT_NE(status->first_error.find("expected a JFR chunk (magic FLR\\0), found \"garb\""), std::string::npos);
}

TEST_F(JfrFileTest, AChunkWithDamagedMetadataIsSkipped) {
  const std::string chunk = ExampleChunk(Writer::kAsyncProfiler);
  std::string damaged = chunk;
  damaged.back() = '\x7F';
  const auto status = Read(damaged + chunk);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->damaged_chunks, 1u);
  EXPECT_EQ(status->chunks, 1u);
  EXPECT_NE(status->first_error.find("expected the metadata's tree of types, found it damaged"), std::string::npos);
}

TEST_F(JfrFileTest, EmptyForeignAndMissingFilesAreErrors) {
  EXPECT_EQ(Read("").error().message,
            path_ + ": offset 0: expected a JFR chunk (magic FLR\\0), found the end of the file");
  EXPECT_EQ(Read("{\"Event\"").error().message,
            path_ + ": offset 0: expected a JFR chunk (magic FLR\\0), found \"{\\x22Ev\"");
  EXPECT_EQ(Read("FLR").error().message, path_ + ": offset 0: expected the 68 bytes of a JFR chunk's header, found 3");
  std::filesystem::remove(path_);
  const auto missing = ReadJfrFile(path_, &recorder_.strings, &recorder_.frames, &recorder_.stacks, &recorder_);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message.find(path_), 0u);
}

}  // namespace
}  // namespace sparkprof
