// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/segment/segment.h"
#include "model/segment/segment_codec.h"

namespace sparkprof {

// A block of a recording, all integers little-endian:
//   0  4  magic "SPRF"
//   4  2  version: 1 = one segment, 2 = several
//   6  2  flags, 0
//   8  4  length of the payload
//  12  4  length of the message before compression
//  16  8  XXH3-64 of the payload
//  24  …  payload: one zstd frame, a message Segment (version 1) or Segments (version 2) of segment.proto
inline constexpr std::string_view kBlockMagic = "SPRF";
inline constexpr size_t kBlockHeaderSize = 24;
inline constexpr uint16_t kBlockVersion = 1;
inline constexpr uint16_t kPackedBlockVersion = 2;
// Larger messages are neither written nor read.
inline constexpr size_t kMaxSegmentSize = size_t{256} << 20;

std::string EncodeBlock(const Segment& segment);

// The checksum in the header of a complete block.
uint64_t ChecksumOf(std::string_view block);

// Packs several segments into one block, which is much smaller than a block for each, because common data is stored
// once.
class BlockPacker {
 public:
  // Before compression.
  static constexpr size_t kGoodSize = size_t{8} << 20;

  void Add(const Segment& segment);
  size_t Size() const { return message_.size(); }
  // The block of the added segments, at least one.
  std::string Take();

 private:
  std::string message_;
};

// Result of reading a recording.
struct RecordingStatus {
  uint64_t blocks = 0;
  uint64_t damaged_blocks = 0;    // complete blocks with an invalid checksum, compression or content
  uint64_t skipped_bytes = 0;     // bytes outside of readable blocks
  uint64_t cut_bytes = 0;         // size of an incomplete last block
  uint64_t too_large_blocks = 0;  // part of the damaged blocks: beyond BlockLimits
  uint64_t hashed_bytes = 0;      // bytes whose checksum was computed: at most a fixed multiple of the recording's size
  std::string first_error;        // error of the first damaged block, with its offset

  RecordingStatus& operator+=(const RecordingStatus& part);
};

// Describes the damage, one sentence per kind.
std::vector<std::string> RecordingProblems(const RecordingStatus& status);

struct BlockLimits {
  size_t segment_memory = size_t{1} << 30;  // memory for decoding one block, its segments one after the other
  uint64_t message_bytes = UINT64_MAX;      // size of all messages before compression
};

// Calls `on_segment` for each readable block of `bytes` in order. Counts and skips damaged blocks and an incomplete
// end. Takes time proportional to the size of `bytes` and of the messages in readable blocks, even for forged headers.
// Fails if `bytes` does not start with a block; the message contains `name`.
Result<RecordingStatus> ReadBlocks(std::string_view bytes, const std::string& name,
                                   const std::function<void(Segment&&)>& on_segment);

// A segment with the position of its block.
struct BlockInPlace {
  size_t offset = 0;
  std::string_view bytes;
  Segment segment;
  bool is_alone = true;  // the only segment in its block
  bool is_exact =
      true;  // `bytes` contain exactly this segment: no others, and no secrets that were redacted in `segment`

  std::string OwnBlock() const { return is_exact ? std::string(bytes) : EncodeBlock(segment); }
};
// Like ReadBlocks, for callers that keep the bytes.
Result<RecordingStatus> ReadBlocksInPlace(std::string_view bytes, const std::string& name,
                                          const std::function<void(BlockInPlace&&)>& on_block,
                                          const BlockLimits& limits = {});

// Like ReadBlocks, for readers that need few contents: `take` gets the outline of each block with a single segment, and
// returns whether it is sufficient. The segments of all other blocks are decoded for `on_segment`.
using TakeOutline = std::function<bool(SegmentOutline&& outline, std::string_view block)>;
Result<RecordingStatus> ReadOutlines(std::string_view bytes, const std::string& name, const TakeOutline& take,
                                     const std::function<void(Segment&&)>& on_segment);

}  // namespace sparkprof
