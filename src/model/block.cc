// SPDX-License-Identifier: Apache-2.0
#include "model/block.h"

#include <fmt/format.h>

#include <cstring>
#include <protozero/pbf_writer.hpp>
#include <utility>

#include "base/compression.h"
#include "base/text.h"
#include "model/hash_bytes.h"
#include "model/message_reader.h"
#include "model/redaction.h"
#include "model/segment_codec.h"

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

constexpr int kPackedLevel = 9;      // packed once, read often
constexpr uint32_t kSegmentTag = 1;  // of the message Segments

using OnSegment = std::function<void(Segment&& segment, bool was_redacted)>;

Result<void> DecodeOne(std::string_view message, const OnSegment& on_segment) {
  Result<Segment> segment = DecodeSegment(message);
  if (!segment) return tl::unexpected(segment.error());
  const bool was_redacted = RedactSegment(&*segment);  // who wrote it may have had fewer rules
  on_segment(std::move(*segment), was_redacted);
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

Result<void> DecodePayload(const Header& header, std::string_view payload, const OnSegment& on_segment) {
  if (header.version != kBlockVersion && header.version != kPackedBlockVersion) {
    return Fail("version " + std::to_string(header.version) + ", expected version " + std::to_string(kBlockVersion) +
                " or " + std::to_string(kPackedBlockVersion));
  }
  if (HashBytes(payload) != header.checksum) return Fail("wrong checksum");
  if (header.message_size > kMaxSegmentSize) return Fail("segment larger than 256 MiB");
  Result<std::string> message = ZstdDecompress(payload, header.message_size);
  if (!message) return tl::unexpected(message.error());
  return header.version == kBlockVersion ? DecodeOne(*message, on_segment) : DecodePacked(*message, on_segment);
}

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

}  // namespace

std::string EncodeBlock(const Segment& segment) {
  const std::string message = EncodeSegment(segment);
  return MakeBlock(kBlockVersion, message, ZstdCompress(message));
}

void BlockPacker::Add(const Segment& segment) {
  protozero::pbf_writer(message_).add_message(kSegmentTag, EncodeSegment(segment));
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
                                          const std::function<void(BlockInPlace&&)>& on_block) {
  if (bytes.substr(0, kBlockMagic.size()) != kBlockMagic.substr(0, bytes.size())) {
    return Fail(name + ": offset 0: not a sparkprof recording (magic SPRF); for logs, use `sparkprof analyze`");
  }
  if (bytes.empty()) return Fail(name + ": empty file, expected a sparkprof recording");
  RecordingStatus status;
  size_t offset = 0;
  while (offset < bytes.size()) {
    const std::string_view rest = bytes.substr(offset);
    if (rest.size() < kBlockHeaderSize) {
      status.cut_bytes = rest.size();
      break;
    }
    if (rest.substr(0, kBlockMagic.size()) == kBlockMagic) {
      const Header header = ReadHeader(rest);
      const size_t block_size = kBlockHeaderSize + size_t{header.payload_size};
      const bool whole = block_size <= rest.size();
      if (whole) {
        const bool is_alone = header.version == kBlockVersion;
        const Result<void> decoded = DecodePayload(
            header, rest.substr(kBlockHeaderSize, header.payload_size), [&](Segment&& segment, bool was_redacted) {
              on_block({offset, rest.substr(0, block_size), std::move(segment), is_alone && !was_redacted});
              ++status.blocks;
            });
        if (decoded) {
          offset += block_size;
          continue;
        }
        ++status.damaged_blocks;
        if (status.first_error.empty()) {
          status.first_error =
              name + ": offset " + std::to_string(offset) + ": expected a complete block: " + decoded.error().message;
        }
      }
      const size_t next = rest.find(kBlockMagic, kBlockMagic.size());
      if (!whole && next == std::string_view::npos) {
        status.cut_bytes = rest.size();
        break;
      }
    }
    if (status.first_error.empty()) {
      status.first_error = name + ": offset " + std::to_string(offset) + ": expected a complete block (magic SPRF)";
    }
    const size_t next = rest.find(kBlockMagic, 1);
    const size_t skipped = next == std::string_view::npos ? rest.size() : next;
    status.skipped_bytes += skipped;
    offset += skipped;
  }
  return status;
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
  if (first_error.empty()) first_error = part.first_error;
  return *this;
}

}  // namespace sparkprof
