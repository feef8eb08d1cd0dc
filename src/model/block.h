// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/segment.h"
#include "model/segment_outline.h"

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
// A larger message is neither written nor read.
inline constexpr size_t kMaxSegmentSize = size_t{256} << 20;

std::string EncodeBlock(const Segment& segment);

// The checksum in the header of a whole block.
uint64_t ChecksumOf(std::string_view block);

// Several segments in one block, which is much smaller than a block for each: what they have in common is stored once.
class BlockPacker {
 public:
  // Before compression.
  static constexpr size_t kGoodSize = size_t{8} << 20;

  void Add(const Segment& segment);
  size_t Size() const { return message_.size(); }
  // The block of what was added, which must be something.
  std::string Take();

 private:
  std::string message_;
};

// How a recording was read.
struct RecordingStatus {
  uint64_t blocks = 0;            // segments read
  uint64_t damaged_blocks = 0;    // complete, but with a wrong checksum, compression or content
  uint64_t skipped_bytes = 0;     // belong to no readable block
  uint64_t cut_bytes = 0;         // of an incomplete last block
  uint64_t too_large_blocks = 0;  // of the damaged ones: beyond BlockLimits
  uint64_t hashed_bytes = 0;      // whose checksum was computed: at most a fixed multiple of the recording's size
  std::string first_error;        // of the first damaged block, with its offset

  RecordingStatus& operator+=(const RecordingStatus& part);
};

// The damage as sentences, one for each kind.
std::vector<std::string> RecordingProblems(const RecordingStatus& status);

// Limits of expanded blocks of a recording.
struct BlockLimits {
  size_t segment_memory = size_t{1} << 30;  // bytes that decoding one block needs, its segments one after the other
  uint64_t message_bytes = UINT64_MAX;      // of all messages before compression
};

// Calls `on_segment` for each readable block of `bytes` in order. Counts and skips damaged blocks and an incomplete
// tail; takes time in proportion to the size of `bytes` and of the messages in readable blocks, whatever the headers
// claim. Fails if `bytes` does not start with a block, with `name` in the message.
Result<RecordingStatus> ReadBlocks(std::string_view bytes, const std::string& name,
                                   const std::function<void(Segment&&)>& on_segment);

// A segment with the place of its block.
struct BlockInPlace {
  size_t offset = 0;
  std::string_view bytes;
  Segment segment;
  bool is_alone = true;  // in its block
  bool is_exact = true;  // `bytes` have nothing else: no other segments, no secrets that `segment` has no more

  // A block with the segment alone.
  std::string OwnBlock() const { return is_exact ? std::string(bytes) : EncodeBlock(segment); }
};
// The same for those who keep the bytes.
Result<RecordingStatus> ReadBlocksInPlace(std::string_view bytes, const std::string& name,
                                          const std::function<void(BlockInPlace&&)>& on_block,
                                          const BlockLimits& limits = {});

// The same for readers that need few contents: `take` gets the outline of each block that has a segment alone, and
// returns whether it suffices. The segments of all other blocks are decoded for `on_segment`.
using TakeOutline = std::function<bool(SegmentOutline&& outline, std::string_view block)>;
Result<RecordingStatus> ReadOutlines(std::string_view bytes, const std::string& name, const TakeOutline& take,
                                     const std::function<void(Segment&&)>& on_segment);

}  // namespace sparkprof
