// SPDX-License-Identifier: Apache-2.0
#include "model/block.h"

#include <gtest/gtest.h>

#include "model/testing/example_segment.h"

namespace sparkprof {
namespace {

std::string ThreeBlocks(std::vector<size_t>* ends) {
  std::string recording;
  for (uint64_t sequence = 0; sequence < 3; ++sequence) {
    Segment segment = ExampleSegment();
    segment.source.sequence = sequence;
    recording += EncodeBlock(segment);
    ends->push_back(recording.size());
  }
  return recording;
}

struct Read {
  RecordingStatus status;
  std::vector<uint64_t> sequences;
};

Result<Read> ReadAll(std::string_view bytes) {
  Read read;
  Result<RecordingStatus> status =
      ReadBlocks(bytes, "x.sprof", [&](Segment&& segment) { read.sequences.push_back(segment.source.sequence); });
  if (!status) return tl::unexpected(status.error());
  read.status = *status;
  return read;
}

TEST(BlockTest, ARecordingCutAtAnyByteIsReadUpToItsLastWholeBlock) {
  std::vector<size_t> ends;
  const std::string recording = ThreeBlocks(&ends);
  for (size_t length = 1; length <= recording.size(); ++length) {
    const Result<Read> read = ReadAll(std::string_view(recording).substr(0, length));
    ASSERT_TRUE(read) << read.error().message;
    const auto whole =
        static_cast<size_t>(std::count_if(ends.begin(), ends.end(), [&](size_t e) { return e <= length; }));
    ASSERT_EQ(read->sequences.size(), whole) << "cut at " << length;
    ASSERT_EQ(read->status.cut_bytes, length - (whole == 0 ? 0 : ends[whole - 1]));
  }
}

TEST(BlockTest, ADamagedBlockIsCountedAndTheNextOnesAreRead) {
  std::vector<size_t> ends;
  std::string recording = ThreeBlocks(&ends);
  recording[ends[0] + kBlockHeaderSize + 5] ^= 1;
  const Result<Read> read = ReadAll(recording);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->sequences, (std::vector<uint64_t>{0, 2}));
  EXPECT_EQ(read->status.damaged_blocks, 1u);
  EXPECT_EQ(read->status.first_error,
            "x.sprof: offset " + std::to_string(ends[0]) + ": expected a complete block: wrong checksum");
}

TEST(BlockTest, APackedBlockHasAllItsSegmentsInOrder) {
  BlockPacker packer;
  for (uint64_t sequence = 0; sequence < 3; ++sequence) {
    Segment segment = ExampleSegment();
    segment.source.sequence = sequence;
    packer.Add(segment);
  }
  const std::string block = packer.Take();
  EXPECT_EQ(packer.Size(), 0u);
  std::vector<size_t> ends;
  EXPECT_LT(block.size(), ThreeBlocks(&ends).size() / 2);
  const Result<Read> read = ReadAll(block + EncodeBlock(ExampleSegment()));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->sequences, (std::vector<uint64_t>{0, 1, 2, 0}));
  EXPECT_EQ(read->status.blocks, 4u);
}

TEST(BlockTest, ASegmentOfAPackedBlockHasABlockOfItsOwn) {
  BlockPacker packer;
  packer.Add(ExampleSegment());
  packer.Add(ExampleSegment());
  std::vector<std::string> own;
  ASSERT_TRUE(ReadBlocksInPlace(packer.Take(), "x.sprof", [&](BlockInPlace&& block) {
    EXPECT_FALSE(block.is_exact);
    own.push_back(block.OwnBlock());
  }));
  EXPECT_EQ(own, std::vector<std::string>(2, EncodeBlock(ExampleSegment())));
}

TEST(BlockTest, ADamagedPackedBlockIsCountedAndTheNextOneIsRead) {
  BlockPacker packer;
  packer.Add(ExampleSegment());
  std::string recording = packer.Take();
  recording[kBlockHeaderSize + 5] ^= 1;
  const Result<Read> read = ReadAll(recording + EncodeBlock(ExampleSegment()));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->status.blocks, 1u);
  EXPECT_EQ(read->status.damaged_blocks, 1u);
}

TEST(BlockTest, AForeignFileIsRefusedWithItsNameAndWhatWasExpected) {
  const Result<Read> read = ReadAll("PK\x03\x04 not a recording at all");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message,
            "x.sprof: offset 0: not a sparkprof recording (magic SPRF); for logs, use `sparkprof analyze`");
}

TEST(BlockTest, AnEmptyFileIsRefused) { EXPECT_FALSE(ReadAll("")); }

TEST(SampleTableTest, AddsUpSamplesWithTheSameKey) {
  SampleTable<SegmentSample> table;
  SegmentSample sample{7, Event::kCpu, Category::kTask, ThreadState::kRunning, PythonState::kUnknown, 0, 12, 3, 10, 1};
  table.Add(sample);
  table.Add(sample);
  sample.task = 13;
  table.Add(sample);
  ASSERT_EQ(table.Rows().size(), 2u);
  EXPECT_EQ(table.Rows()[0].weight, 20);
  EXPECT_EQ(table.Rows()[0].count, 2);
}

}  // namespace
}  // namespace sparkprof
