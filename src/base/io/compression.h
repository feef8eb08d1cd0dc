// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/io/byte_source.h"
#include "base/result.h"

namespace sparkprof {

std::string ZstdCompress(std::string_view bytes, int level = 3);

// The content size in the frame's header; nullopt if it is damaged or lacks the size.
std::optional<uint64_t> ZstdContentSize(std::string_view frame);

// Decompresses one zstd frame. Fails if it is damaged or larger than `max_size` bytes.
Result<std::string> ZstdDecompress(std::string_view frame, size_t max_size);

// Compressed streams written by Spark, Hadoop's log aggregation and users.
enum class Codec : uint8_t {
  kNone,
  kGzip,      // one or more members (RFC 1952)
  kZstd,      // one or more frames (RFC 8878), including skippable ones
  kLz4Block,  // lz4-java's LZ4BlockOutputStream, Spark's "lz4"; one or more streams
  kSnappy,    // snappy-java's SnappyOutputStream, Spark's "snappy"
  kLzf,       // chunks of ning's compress-lzf, Spark's "lzf"
};

inline constexpr Codec kAllCodecs[] = {Codec::kGzip, Codec::kZstd, Codec::kLz4Block, Codec::kSnappy, Codec::kLzf};

// Detects the codec from a stream's first kCodecMagicBytes bytes.
Codec DetectCodec(std::string_view begin);
inline constexpr size_t kCodecMagicBytes = 8;
std::string_view CodecName(Codec codec);  // "gzip"; empty for kNone

// The maximum size to which an input may expand. Errors name the limit and the option that raises it.
struct ExpansionLimits {
  int64_t max_bytes = int64_t{1} << 40;  // --max-expanded
  int64_t max_ratio = 1000;              // --max-ratio, applies from kRatioFreeBytes on
  int max_layers = 4;                    // --max-layers: compressed within compressed
  static constexpr int64_t kRatioFreeBytes = int64_t{256} << 20;

  // Totals of an archive including nested ones, because many small bombs make a large one. The limits also apply to
  // these totals.
  struct Whole {
    explicit Whole(int64_t stored) : compressed(stored) {}
    const int64_t compressed;  // stored size in bytes
    std::atomic<int64_t> expanded = 0;
  };
  std::shared_ptr<Whole> whole;  // null = not in an archive
};

// Removes all layers of compression from `source`, detected by content. Damaged or truncated data is an error after all
// readable data. `name` is for messages.
std::unique_ptr<ByteSource> Decompress(std::unique_ptr<ByteSource> source, const std::string& name,
                                       const ExpansionLimits& limits = {});

// Limits the expansion of `source`, the decompressed form of `compressed_size` bytes.
std::unique_ptr<ByteSource> LimitExpansion(std::unique_ptr<ByteSource> source, int64_t compressed_size,
                                           const std::string& name, const ExpansionLimits& limits);

// Decoders for one layer of compression, limited only by memory: a chunk with a declared size above kMaxChunkBytes is
// damaged.
std::unique_ptr<ByteSource> DecodeGzip(std::unique_ptr<ByteSource> source, const std::string& name);
std::unique_ptr<ByteSource> DecodeZlib(std::unique_ptr<ByteSource> source, const std::string& name);  // RFC 1950
std::unique_ptr<ByteSource> DecodeZstd(std::unique_ptr<ByteSource> source, const std::string& name);
std::unique_ptr<ByteSource> DecodeLz4Blocks(std::unique_ptr<ByteSource> source, const std::string& name);
std::unique_ptr<ByteSource> DecodeSnappy(std::unique_ptr<ByteSource> source, const std::string& name);
std::unique_ptr<ByteSource> DecodeLzf(std::unique_ptr<ByteSource> source, const std::string& name);

inline constexpr size_t kMaxChunkBytes = 64u << 20;

// Decompresses one LZF chunk into exactly `size` bytes. Returns false if it is damaged.
bool ExpandLzf(std::string_view compressed, char* bytes, size_t size);

}  // namespace sparkprof
