// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/byte_source.h"
#include "base/result.h"

namespace sparkprof {

// The compressed streams that Spark, Hadoop's log collection and people write.
enum class Codec : uint8_t {
  kNone,
  kGzip,      // one member or several (RFC 1952)
  kZstd,      // one frame or several (RFC 8878), skippable ones too
  kLz4Block,  // lz4-java's LZ4BlockOutputStream, Spark's "lz4"; one stream or several
  kSnappy,    // snappy-java's SnappyOutputStream, Spark's "snappy"
  kLzf,       // chunks of ning's compress-lzf, Spark's "lzf"
};

inline constexpr Codec kAllCodecs[] = {Codec::kGzip, Codec::kZstd, Codec::kLz4Block, Codec::kSnappy, Codec::kLzf};

// The codec by a stream's first bytes; kCodecMagicBytes of them are enough.
Codec DetectCodec(std::string_view begin);
inline constexpr size_t kCodecMagicBytes = 8;
std::string_view CodecName(Codec codec);  // "gzip"; empty for kNone

// The maximum size to which an input may expand. Errors name the limit and the option that raises it.
struct ExpansionLimits {
  int64_t max_bytes = int64_t{1} << 40;  // --max-expanded
  int64_t max_ratio = 1000;              // --max-ratio, from kRatioFreeBytes on
  int max_layers = 4;                    // --max-layers: compressed within compressed
  static constexpr int64_t kRatioFreeBytes = int64_t{256} << 20;

  // Totals of an archive, including nested archives, because many small bombs make a large one. The limits also apply
  // to the totals.
  struct Whole {
    explicit Whole(int64_t stored) : compressed(stored) {}
    const int64_t compressed;  // bytes as stored
    std::atomic<int64_t> expanded = 0;
  };
  std::shared_ptr<Whole> whole;  // null = no archive
};

// Removes all layers of compression from `source`, detected by content. Damaged or truncated data is an error after all
// readable data. `name` is for messages.
std::unique_ptr<ByteSource> Decompress(std::unique_ptr<ByteSource> source, const std::string& name,
                                       const ExpansionLimits& limits = {});

// `source`, the expanded form of `compressed_size` bytes, within the limits.
std::unique_ptr<ByteSource> LimitExpansion(std::unique_ptr<ByteSource> source, int64_t compressed_size,
                                           const std::string& name, const ExpansionLimits& limits);

}  // namespace sparkprof
