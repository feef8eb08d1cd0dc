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

}  // namespace sparkprof
