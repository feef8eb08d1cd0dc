// SPDX-License-Identifier: Apache-2.0
// Codecs with self-describing chunks. Formats: net.jpountz.lz4.LZ4BlockOutputStream,
// org.xerial.snappy.SnappyOutputStream, com.ning.compress.lzf.LZFChunk.
#define XXH_INLINE_ALL
#include <lz4.h>
#include <snappy.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "base/io/compression.h"
#include "base/io/input_buffer.h"

namespace sparkprof {
namespace {

uint32_t Byte(std::string_view bytes, size_t position) { return static_cast<unsigned char>(bytes[position]); }

uint32_t LittleEndian32(std::string_view bytes, size_t position) {
  return Byte(bytes, position) | Byte(bytes, position + 1) << 8 | Byte(bytes, position + 2) << 16 |
         Byte(bytes, position + 3) << 24;
}

uint32_t BigEndian16(std::string_view bytes, size_t position) {
  return Byte(bytes, position) << 8 | Byte(bytes, position + 1);
}

uint32_t BigEndian32(std::string_view bytes, size_t position) {
  return BigEndian16(bytes, position) << 16 | BigEndian16(bytes, position + 2);
}

// Reads chunk by chunk. A damaged or truncated chunk ends the source.
class ChunkSource : public ByteSource {
 public:
  ChunkSource(std::unique_ptr<ByteSource> source, const std::string& name) : input_(std::move(source), name) {}

  Result<size_t> Read(char* bytes, size_t size) override {
    while (pending_.empty() && !ended_) {
      if (input_.Peek(1).empty()) {
        ended_ = true;
        if (input_.SourceError()) return tl::unexpected(*input_.SourceError());
        break;
      }
      chunk_.clear();
      if (const Result<void> decoded = DecodeChunk(); !decoded) {
        ended_ = true;
        return tl::unexpected(decoded.error());
      }
      pending_ = chunk_;
    }
    if (pending_.empty()) return 0;
    const size_t count = std::min(size, pending_.size());
    std::memcpy(bytes, pending_.data(), count);
    pending_.remove_prefix(count);
    return count;
  }

 protected:
  // Decodes one chunk into chunk_; it may be empty.
  virtual Result<void> DecodeChunk() = 0;

  // The next `size` bytes, without consuming them.
  Result<std::string_view> Need(size_t size) {
    const std::string_view next = input_.Peek(size);
    if (next.size() < size) return tl::unexpected(input_.Fault("truncated compressed data"));
    return next.substr(0, size);
  }

  tl::unexpected<Error> Damaged(std::string_view what) { return tl::unexpected(input_.Fault(what)); }

  InputBuffer input_;
  std::string chunk_;

 private:
  std::string_view pending_;
  bool ended_ = false;
};

// { "LZ4Block", token, compressed length, length, checksum (little-endian, 32 bits each), data }; a chunk of length 0
// ends a stream, and another stream may follow.
class Lz4BlockSource : public ChunkSource {
 public:
  using ChunkSource::ChunkSource;

 protected:
  Result<void> DecodeChunk() override {
    constexpr size_t kHeader = 21;
    constexpr uint32_t kRaw = 0x10, kLz4 = 0x20, kSeed = 0x9747b28c, kChecksumMask = 0x0fffffff;
    Result<std::string_view> next = Need(kHeader);
    if (!next) return tl::unexpected(next.error());
    const uint32_t method = Byte(*next, 8) & 0xf0;
    const uint32_t compressed_size = LittleEndian32(*next, 9);
    const uint32_t size = LittleEndian32(*next, 13);
    const uint32_t checksum = LittleEndian32(*next, 17);
    if (!next->starts_with("LZ4Block") || size > kMaxChunkBytes || compressed_size > kMaxChunkBytes + kHeader ||
        (method != kRaw && method != kLz4) || (method == kRaw && compressed_size != size)) {
      return Damaged("damaged LZ4Block header");
    }
    next = Need(kHeader + compressed_size);
    if (!next) return tl::unexpected(next.error());
    const std::string_view data = next->substr(kHeader);
    if (size == 0) {
      input_.Consume(next->size());
      return {};
    }
    if (method == kRaw) {
      chunk_.assign(data);
    } else {
      // LZ4 expands a byte to at most 255, so a larger size is invalid.
      if (size / 255 > compressed_size) return Damaged("damaged LZ4Block header");
      chunk_.resize(size);
      if (LZ4_decompress_safe(data.data(), chunk_.data(), static_cast<int>(data.size()), static_cast<int>(size)) !=
          static_cast<int>(size)) {
        return Damaged("damaged LZ4 block");
      }
    }
    if ((XXH32(chunk_.data(), chunk_.size(), kSeed) & kChecksumMask) != checksum) {
      return Damaged("wrong checksum of an LZ4 block");
    }
    input_.Consume(next->size());
    return {};
  }
};

// A header of 16 bytes, then { big-endian length, raw snappy block }. Another header may follow anywhere (concatenated
// streams); the highest bit of its first byte distinguishes it from a length.
class SnappySource : public ChunkSource {
 public:
  using ChunkSource::ChunkSource;

 protected:
  Result<void> DecodeChunk() override {
    constexpr size_t kStreamHeader = 16, kHeader = 4;
    Result<std::string_view> next = Need(kHeader);
    if (!next) return tl::unexpected(next.error());
    if (next->starts_with("\x82SNA")) {
      next = Need(kStreamHeader);
      if (!next) return tl::unexpected(next.error());
      input_.Consume(kStreamHeader);
      return {};
    }
    const uint32_t compressed_size = BigEndian32(*next, 0);
    if (compressed_size > kMaxChunkBytes) return Damaged("damaged snappy chunk header");
    next = Need(kHeader + compressed_size);
    if (!next) return tl::unexpected(next.error());
    const std::string_view data = next->substr(kHeader);
    size_t size = 0;
    // Snappy's densest element expands 3 bytes to 64.
    if (!snappy::GetUncompressedLength(data.data(), data.size(), &size) || size > kMaxChunkBytes ||
        size / 22 > data.size()) {
      return Damaged("damaged snappy chunk");
    }
    chunk_.resize(size);
    if (!snappy::RawUncompress(data.data(), data.size(), chunk_.data())) return Damaged("damaged snappy chunk");
    input_.Consume(next->size());
    return {};
  }
};

// { 'Z' 'V', type, big-endian 16-bit length, for type 1 the length it expands to, data }.
class LzfSource : public ChunkSource {
 public:
  using ChunkSource::ChunkSource;

 protected:
  Result<void> DecodeChunk() override {
    constexpr size_t kRawHeader = 5, kCompressedHeader = 7;
    Result<std::string_view> next = Need(kRawHeader);
    if (!next) return tl::unexpected(next.error());
    const uint32_t type = Byte(*next, 2);
    const size_t length = BigEndian16(*next, 3);
    if (!next->starts_with("ZV") || type > 1) return Damaged("damaged LZF chunk header");
    const size_t header = type == 0 ? kRawHeader : kCompressedHeader;
    next = Need(header + length);
    if (!next) return tl::unexpected(next.error());
    const std::string_view data = next->substr(header);
    if (type == 0) {
      chunk_.assign(data);
    } else {
      chunk_.resize(BigEndian16(*next, 5));
      if (!ExpandLzf(data, chunk_.data(), chunk_.size())) return Damaged("damaged LZF chunk");
    }
    input_.Consume(next->size());
    return {};
  }
};

}  // namespace

bool ExpandLzf(std::string_view compressed, char* bytes, size_t size) {
  size_t in = 0, out = 0;
  while (in < compressed.size()) {
    const uint32_t control = Byte(compressed, in++);
    if (control < 32) {  // control + 1 literal bytes
      const size_t length = control + 1;
      if (length > compressed.size() - in || length > size - out) return false;
      std::memcpy(bytes + out, compressed.data() + in, length);
      in += length;
      out += length;
      continue;
    }
    size_t length = control >> 5;  // copies bytes from up to 8 KiB back
    if (length == 7) {
      if (in >= compressed.size()) return false;
      length += Byte(compressed, in++);
    }
    length += 2;
    if (in >= compressed.size()) return false;
    const size_t distance = ((control & 31) << 8 | Byte(compressed, in++)) + 1;
    if (distance > out || length > size - out) return false;
    for (size_t end = out + length; out < end; ++out) bytes[out] = bytes[out - distance];
  }
  return out == size;
}

std::unique_ptr<ByteSource> DecodeLz4Blocks(std::unique_ptr<ByteSource> source, const std::string& name) {
  return std::make_unique<Lz4BlockSource>(std::move(source), name);
}

std::unique_ptr<ByteSource> DecodeSnappy(std::unique_ptr<ByteSource> source, const std::string& name) {
  return std::make_unique<SnappySource>(std::move(source), name);
}

std::unique_ptr<ByteSource> DecodeLzf(std::unique_ptr<ByteSource> source, const std::string& name) {
  return std::make_unique<LzfSource>(std::move(source), name);
}

}  // namespace sparkprof
