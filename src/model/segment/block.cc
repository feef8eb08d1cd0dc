// SPDX-License-Identifier: Apache-2.0
#include "model/segment/block.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <protozero/pbf_writer.hpp>
#include <utility>

#include "base/io/compression.h"
#include "base/memory_limit.h"
#include "base/text/text.h"
#include "model/hash_bytes.h"
#include "model/redaction/redaction.h"
#include "model/segment/message_reader.h"
#include "model/segment/segment_codec.h"

namespace sparkprof {
namespace {

template <typename T>
void AppendLittleEndian(T value, std::string* out) {
  for (size_t i = 0; i < sizeof(T); ++i) out->push_back(static_cast<char>(static_cast<uint64_t>(value) >> (8 * i)));
}

template <typename T>
T ReadLittleEndian(std::string_view bytes, size_t offset) {
  uint64_t value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) value |= uint64_t{static_cast<uint8_t>(bytes[offset + i])} << (8 * i);
  return static_cast<T>(value);
}

struct Header {
  uint16_t version;
  uint32_t payload_size;
  uint32_t message_size;
  uint64_t checksum;
};

Header ReadHeader(std::string_view bytes) {
  return {ReadLittleEndian<uint16_t>(bytes, 4), ReadLittleEndian<uint32_t>(bytes, 8),
          ReadLittleEndian<uint32_t>(bytes, 12), ReadLittleEndian<uint64_t>(bytes, 16)};
}

constexpr int kPackedLevel = 9;       // packed once, read often
constexpr uint32_t kSegmentTag = 1;   // field of the message Segments
constexpr uint32_t kContentTag = 22;  // field of the message Segment

using OnSegment = std::function<void(Segment&& segment, bool was_redacted)>;

// Decodes the messages of a recording's blocks within the limits.
class BlockDecoder {
 public:
  explicit BlockDecoder(const BlockLimits& limits) : limits_(limits) {}

  // Fail for damaged or too large content.
  Result<std::string> Expand(const Header& header, std::string_view payload) {
    message_bytes_ += header.message_size;
    if (message_bytes_ > limits_.message_bytes) return FailTooLarge(limits_.message_bytes);
    std::optional<Result<std::string>> message =
        WithinMemory(limits_.segment_memory, [&] { return ZstdDecompress(payload, header.message_size); });
    if (!message) return FailTooLarge(limits_.segment_memory);
    return std::move(*message);
  }

  Result<void> Decode(const Header& header, std::string_view message, const OnSegment& on_segment) {
    return header.version == kBlockVersion ? DecodeOne(message, on_segment) : DecodePacked(message, on_segment);
  }

  void CountSegment() { ++segments_; }

  uint64_t Segments() const { return segments_; }
  uint64_t TooLargeBlocks() const { return too_large_blocks_; }

 private:
  tl::unexpected<Error> FailTooLarge(uint64_t most) {
    ++too_large_blocks_;
    return Fail(TooLarge(most));
  }

  Result<void> DecodeOne(std::string_view message, const OnSegment& on_segment) {
    // An empty segment takes memory, too, and a short payload can hold millions of them.
    constexpr uint64_t kLeastBytes = 1024;
    message_bytes_ += kLeastBytes - std::min<uint64_t>(message.size(), kLeastBytes);
    if (message_bytes_ > limits_.message_bytes) return FailTooLarge(limits_.message_bytes);
    if (message.size() > limits_.segment_memory) return FailTooLarge(limits_.segment_memory);
    bool was_redacted = false;
    std::optional<Result<Segment>> segment = WithinMemory(limits_.segment_memory - message.size(), [&] {
      Result<Segment> decoded = DecodeSegment(message);
      if (decoded) was_redacted = RedactSegment(&*decoded);  // the writer may have had fewer rules
      return decoded;
    });
    if (!segment) return FailTooLarge(limits_.segment_memory);
    if (!*segment) return tl::unexpected(segment->error());
    on_segment(std::move(**segment), was_redacted);
    CountSegment();
    return {};
  }

  Result<void> DecodePacked(std::string_view message, const OnSegment& on_segment) {
    try {
      MessageReader segments{message.data(), message.size()};
      while (segments.next()) {
        if (segments.tag() != kSegmentTag) {
          segments.skip();
          continue;
        }
        const protozero::data_view one = segments.get_view();
        if (Result<void> decoded = DecodeOne({one.data(), one.size()}, on_segment); !decoded) return decoded;
      }
    } catch (const protozero::exception& error) {
      return Fail(std::string("damaged message of segments: ") + error.what());
    }
    return {};
  }

  const BlockLimits limits_;
  uint64_t segments_ = 0;
  uint64_t message_bytes_ = 0;
  uint64_t too_large_blocks_ = 0;
};

// Finds blocks by their headers and checksums. Limits repeated hashing caused by forged headers: invalid payloads of
// about the same size may add up to a multiple of the recording's size; after that, no payload of that size is hashed.
class BlockFinder {
 public:
  explicit BlockFinder(size_t recording_size) { left_.fill(kMaxRepeats * uint64_t{recording_size}); }

  // Checks `payload` against its header.
  Result<void> Check(const Header& header, std::string_view payload) {
    if (header.version != kBlockVersion && header.version != kPackedBlockVersion) {
      return Fail("version " + std::to_string(header.version) + ", expected version " + std::to_string(kBlockVersion) +
                  " or " + std::to_string(kPackedBlockVersion));
    }
    if (header.message_size > kMaxSegmentSize) return Fail("segment larger than 256 MiB");
    if (ZstdContentSize(payload) != header.message_size) {
      return Fail("expected a zstd frame of " + std::to_string(header.message_size) + " bytes");
    }
    uint64_t& left = left_[static_cast<size_t>(std::bit_width(payload.size()))];
    if (left < payload.size()) return Fail("too many damaged blocks");
    hashed_bytes_ += payload.size();
    if (HashBytes(payload) == header.checksum) return {};
    left -= payload.size();
    return Fail("wrong checksum");
  }

  uint64_t HashedBytes() const { return hashed_bytes_; }

 private:
  static constexpr uint64_t kMaxRepeats = 16;

  std::array<uint64_t, 33> left_;  // remaining bytes of invalid payloads, by the bit width of the payload's size
  uint64_t hashed_bytes_ = 0;
};

std::string MakeBlock(uint16_t version, std::string_view message, const std::string& payload) {
  std::string block;
  block.reserve(kBlockHeaderSize + payload.size());
  block += kBlockMagic;
  AppendLittleEndian<uint16_t>(version, &block);
  AppendLittleEndian<uint16_t>(0, &block);
  AppendLittleEndian<uint32_t>(static_cast<uint32_t>(payload.size()), &block);
  AppendLittleEndian<uint32_t>(static_cast<uint32_t>(message.size()), &block);
  AppendLittleEndian<uint64_t>(HashBytes(payload), &block);
  block += payload;
  return block;
}

struct ExpandedBlock {
  size_t offset;
  std::string_view bytes;
  Header header;
  std::string message;
};

// Calls `decode` for each block with a valid checksum.
Result<RecordingStatus> FindBlocks(std::string_view bytes, const std::string& name, const BlockLimits& limits,
                                   const std::function<Result<void>(const ExpandedBlock&, BlockDecoder*)>& decode) {
  if (bytes.substr(0, kBlockMagic.size()) != kBlockMagic.substr(0, bytes.size())) {
    return Fail(name + ": offset 0: not a sparkprof recording (magic SPRF); for logs, use `sparkprof analyze`");
  }
  if (bytes.empty()) return Fail(name + ": empty file, expected a sparkprof recording");
  RecordingStatus status;
  BlockFinder finder(bytes.size());
  BlockDecoder decoder(limits);
  size_t offset = 0;
  const auto note = [&](const std::string& problem) {
    if (!status.first_error.empty()) return;
    status.first_error = name + ": offset " + std::to_string(offset) + ": expected a complete block" + problem;
  };
  const auto skip = [&](size_t size) {
    status.skipped_bytes += size;
    offset += size;
  };
  while (offset < bytes.size()) {
    const std::string_view rest = bytes.substr(offset);
    if (rest.size() < kBlockHeaderSize) {
      status.cut_bytes = rest.size();
      break;
    }
    if (rest.substr(0, kBlockMagic.size()) == kBlockMagic) {
      const Header header = ReadHeader(rest);
      const size_t block_size = kBlockHeaderSize + size_t{header.payload_size};
      if (block_size <= rest.size()) {
        const std::string_view payload = rest.substr(kBlockHeaderSize, header.payload_size);
        const Result<void> found = finder.Check(header, payload);
        const Result<void> decoded =
            !found ? found : decoder.Expand(header, payload).and_then([&](std::string&& message) {
              return decode({offset, rest.substr(0, block_size), header, std::move(message)}, &decoder);
            });
        if (decoded) {
          offset += block_size;
          continue;
        }
        ++status.damaged_blocks;
        note(": " + decoded.error().message);
        if (found) {  // complete, so the next one follows it
          skip(block_size);
          continue;
        }
      } else if (rest.find(kBlockMagic, kBlockMagic.size()) == std::string_view::npos) {
        status.cut_bytes = rest.size();
        break;
      }
    }
    note(" (magic SPRF)");
    skip(std::min(rest.find(kBlockMagic, 1), rest.size()));
  }
  status.blocks = decoder.Segments();
  status.too_large_blocks = decoder.TooLargeBlocks();
  status.hashed_bytes = finder.HashedBytes();
  return status;
}

}  // namespace

std::string EncodeBlock(const Segment& segment) {
  const std::string message = EncodeSegment(segment);
  return MakeBlock(kBlockVersion, message, ZstdCompress(message));
}

uint64_t ChecksumOf(std::string_view block) { return ReadHeader(block).checksum; }

void BlockPacker::Add(const Segment& segment) {
  std::string message = EncodeSegment(segment);
  if (segment.content != 0) protozero::pbf_writer(message).add_fixed64(kContentTag, segment.content);
  protozero::pbf_writer(message_).add_message(kSegmentTag, message);
}

std::string BlockPacker::Take() {
  const std::string message = std::exchange(message_, {});
  return MakeBlock(kPackedBlockVersion, message, ZstdCompress(message, kPackedLevel));
}

Result<RecordingStatus> ReadBlocks(std::string_view bytes, const std::string& name,
                                   const std::function<void(Segment&&)>& on_segment) {
  return ReadBlocksInPlace(bytes, name, [&](BlockInPlace&& block) { on_segment(std::move(block.segment)); });
}

Result<RecordingStatus> ReadBlocksInPlace(std::string_view bytes, const std::string& name,
                                          const std::function<void(BlockInPlace&&)>& on_block,
                                          const BlockLimits& limits) {
  return FindBlocks(bytes, name, limits, [&](const ExpandedBlock& block, BlockDecoder* decoder) {
    return decoder->Decode(block.header, block.message, [&](Segment&& segment, bool was_redacted) {
      const bool is_alone = block.header.version == kBlockVersion;
      if (is_alone) segment.content = block.header.checksum;
      on_block({block.offset, block.bytes, std::move(segment), is_alone, is_alone && !was_redacted});
    });
  });
}

Result<RecordingStatus> ReadOutlines(std::string_view bytes, const std::string& name, const TakeOutline& take,
                                     const std::function<void(Segment&&)>& on_segment) {
  return FindBlocks(bytes, name, {}, [&](const ExpandedBlock& block, BlockDecoder* decoder) -> Result<void> {
    if (block.header.version == kBlockVersion) {
      Result<SegmentOutline> outline = DecodeOutline(block.message);
      if (!outline) return tl::unexpected(outline.error());
      outline->content = block.header.checksum;
      if (take(std::move(*outline), block.bytes)) {
        decoder->CountSegment();
        return {};
      }
    }
    return decoder->Decode(block.header, block.message, [&](Segment&& segment, bool /*was_redacted*/) {
      if (block.header.version == kBlockVersion) segment.content = block.header.checksum;
      on_segment(std::move(segment));
    });
  });
}

std::vector<std::string> RecordingProblems(const RecordingStatus& status) {
  std::vector<std::string> problems;
  if (status.damaged_blocks > 0)
    problems.push_back(fmt::format("{} damaged blocks skipped: {}", status.damaged_blocks, status.first_error));
  if (status.skipped_bytes > 0)
    problems.push_back(
        fmt::format("{} between blocks skipped", FormatBytes(static_cast<int64_t>(status.skipped_bytes))));
  if (status.cut_bytes > 0) {
    problems.push_back(fmt::format("truncated: the last {} are not a complete block",
                                   FormatBytes(static_cast<int64_t>(status.cut_bytes))));
  }
  return problems;
}

RecordingStatus& RecordingStatus::operator+=(const RecordingStatus& part) {
  blocks += part.blocks;
  damaged_blocks += part.damaged_blocks;
  skipped_bytes += part.skipped_bytes;
  cut_bytes += part.cut_bytes;
  too_large_blocks += part.too_large_blocks;
  hashed_bytes += part.hashed_bytes;
  if (first_error.empty()) first_error = part.first_error;
  return *this;
}

}  // namespace sparkprof
