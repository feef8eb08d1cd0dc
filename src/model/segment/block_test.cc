// SPDX-License-Identifier: Apache-2.0
#include "model/segment/block.h"

#include <gtest/gtest.h>

#include "base/io/compression.h"
#include "model/hash_bytes.h"
#include "model/segment/segment_codec.h"
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
  recording[ends[0] + kBlockHeaderSize + 20] ^= 1;
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

TEST(BlockTest, AnOutlineHasWhatTheDecodedSegmentHas) {
  const Segment segment = ExampleSegment();
  const std::string recording = EncodeBlock(segment);
  const SegmentOutline expected = OutlineOf(segment);
  ASSERT_GT(expected.sample_rows, 0u);
  size_t outlines = 0;
  const Result<RecordingStatus> status = ReadOutlines(
      recording, "x.sprof",
      [&](SegmentOutline&& outline, std::string_view block) {
        EXPECT_EQ(block, recording);
        EXPECT_EQ(outline.source.application_id, expected.source.application_id);
        EXPECT_EQ(outline.source.sequence, expected.source.sequence);
        EXPECT_EQ(outline.source.role, expected.source.role);
        EXPECT_EQ(outline.anchors.size(), expected.anchors.size());
        EXPECT_EQ(outline.final, expected.final);
        EXPECT_EQ(outline.has_spark_events, expected.has_spark_events);
        EXPECT_EQ(outline.has_task_columns, expected.has_task_columns);
        EXPECT_EQ(outline.sample_rows, expected.sample_rows);
        ++outlines;
        return true;
      },
      [](Segment&&) { FAIL() << "its outline suffices"; });
  ASSERT_TRUE(status);
  EXPECT_EQ(status->blocks, 1u);
  EXPECT_EQ(outlines, 1u);
}

TEST(BlockTest, SegmentsOfPackedBlocksAndThoseWhoseOutlineDoesNotSufficeAreDecoded) {
  Segment segment = ExampleSegment();
  BlockPacker packer;
  for (segment.source.sequence = 0; segment.source.sequence < 2; ++segment.source.sequence) packer.Add(segment);
  std::string recording = packer.Take();
  for (; segment.source.sequence < 4; ++segment.source.sequence) recording += EncodeBlock(segment);
  std::vector<uint64_t> outlines, decoded;
  const Result<RecordingStatus> status = ReadOutlines(
      recording, "x.sprof",
      [&](SegmentOutline&& outline, std::string_view) {
        outlines.push_back(outline.source.sequence);
        return outline.source.sequence != 3;
      },
      [&](Segment&& other) { decoded.push_back(other.source.sequence); });
  ASSERT_TRUE(status);
  EXPECT_EQ(status->blocks, 4u);
  EXPECT_EQ(outlines, (std::vector<uint64_t>{2, 3}));
  EXPECT_EQ(decoded, (std::vector<uint64_t>{0, 1, 3}));
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

// A block's header that claims `payload_size` bytes, and what a payload of `message_size` bytes begins with.
std::string Claim(uint32_t payload_size, uint32_t message_size) {
  std::string header = "SPRF";
  const auto append = [&](uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) header += static_cast<char>(value >> (8 * i));
  };
  append(kBlockVersion, 2);
  append(0, 2);
  append(payload_size, 4);
  append(message_size, 4);
  append(0x0123456789ABCDEF, 8);
  return header;
}

// A complete block whose message is `message`.
std::string Foreign(const std::string& message) {
  const std::string payload = ZstdCompress(message);
  std::string header = Claim(static_cast<uint32_t>(payload.size()), static_cast<uint32_t>(message.size()));
  const uint64_t checksum = HashBytes(payload);
  for (int i = 0; i < 8; ++i) header[16 + static_cast<size_t>(i)] = static_cast<char>(checksum >> (8 * i));
  return header + payload;
}

TEST(BlockTest, HeadersThatClaimTheRestCostTimeInProportionToTheRecording) {
  constexpr size_t kSize = size_t{1} << 20;
  const std::string valid = EncodeBlock(ExampleSegment());
  const std::string payload_begin = ZstdCompress(std::string(1000, 'x')).substr(0, 16);
  for (const std::string& behind : {std::string(), payload_begin}) {
    std::string recording;
    while (recording.size() < kSize) {
      const size_t rest = kSize + valid.size() - recording.size() - kBlockHeaderSize;
      recording += Claim(static_cast<uint32_t>(rest), 1000) + behind;
    }
    recording.resize(kSize);
    const Result<Read> read = ReadAll(recording + valid);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->status.blocks, 1u) << "the block behind them";
    EXPECT_GT(read->status.damaged_blocks, 20'000u);
    // Each in its half, a quarter, … of the recording; without a bound it is 10'000 times its size.
    EXPECT_LE(read->status.hashed_bytes, 17 * 20 * kSize);
  }
}

TEST(BlockTest, ABlockBehindCopiesOfItsBeginningIsFound) {
  const std::string valid = EncodeBlock(ExampleSegment());
  std::string recording;
  for (int i = 0; i < 1000; ++i) recording += valid.substr(0, valid.size() / 4);
  const Result<Read> read = ReadAll(recording + valid + recording + valid);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->status.blocks, 2u);
}

TEST(BlockTest, ABlockThatIsCompleteIsNotSearchedForOthers) {
  const std::string valid = EncodeBlock(ExampleSegment());
  std::string damaged = Foreign(valid + valid);
  const Result<Read> read = ReadAll(damaged + valid);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->status.blocks, 1u);
  EXPECT_EQ(read->status.damaged_blocks, 1u);
  EXPECT_EQ(read->status.skipped_bytes, damaged.size());
}

// 16 MiB of empty messages: 1.6 KB as a block, and 2.8 GiB as segments of the fields with the largest rows.
TEST(BlockTest, ASegmentThatNeedsMoreMemoryThanTheLimitIsRefused) {
  for (const int field : {2, 9, 10, 11, 12, 13, 14, 17, 18, 19, 20, 21}) {
    std::string message;
    const std::string empty = field < 16 ? std::string{static_cast<char>(field << 3 | 2), '\0'}
                                         : std::string{static_cast<char>((field << 3 | 2) | 0x80), '\1', '\0'};
    while (message.size() < size_t{16} << 20) message += empty;
    const std::string bomb = Foreign(message);
    EXPECT_LT(bomb.size(), 4000u);
    Read read;
    const Result<RecordingStatus> status = ReadBlocksInPlace(
        bomb, "x.sprof", [&](BlockInPlace&& block) { read.sequences.push_back(block.segment.source.sequence); },
        {.segment_memory = size_t{64} << 20});
    ASSERT_TRUE(status);
    EXPECT_EQ(read.sequences.size(), 0u) << field;
    EXPECT_EQ(status->damaged_blocks, 1u) << field;
    // A repeated column and a neighbor without a width are damage.
    EXPECT_EQ(status->too_large_blocks, field == 17 || field == 21 ? 0u : 1u) << field;
  }
}

TEST(BlockTest, MessagesOfARecordingAddUpToTheLimit) {
  const std::string block = EncodeBlock(ExampleSegment());
  const uint64_t message_size = EncodeSegment(ExampleSegment()).size();
  const auto read = [&](uint64_t limit) {
    return ReadBlocksInPlace(block + block + block, "x.sprof", [](BlockInPlace&&) {}, {.message_bytes = limit});
  };
  EXPECT_EQ(read(3 * message_size)->too_large_blocks, 0u);
  EXPECT_EQ(read(3 * message_size)->blocks, 3u);
  EXPECT_EQ(read(3 * message_size - 1)->too_large_blocks, 1u);
  EXPECT_EQ(read(message_size - 1)->too_large_blocks, 3u);
}

TEST(BlockTest, EmptySegmentsCountWithTheMemoryThatTheyTake) {
  BlockPacker packer;
  for (int segment = 0; segment < 100'000; ++segment) packer.Add({});
  const std::string block = packer.Take();
  EXPECT_LT(block.size(), 1000u);
  uint64_t segments = 0;
  const Result<RecordingStatus> status =
      ReadBlocksInPlace(block, "x.sprof", [&](BlockInPlace&&) { ++segments; }, {.message_bytes = uint64_t{10} << 20});
  EXPECT_EQ(status->too_large_blocks, 1u);
  EXPECT_LT(segments, 11'000u);
}

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
