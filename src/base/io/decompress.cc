// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "base/io/compression.h"

namespace sparkprof {
namespace {

std::unique_ptr<ByteSource> Decode(Codec codec, std::unique_ptr<ByteSource> source, const std::string& name) {
  switch (codec) {
    case Codec::kNone:
      return source;
    case Codec::kGzip:
      return DecodeGzip(std::move(source), name);
    case Codec::kZstd:
      return DecodeZstd(std::move(source), name);
    case Codec::kLz4Block:
      return DecodeLz4Blocks(std::move(source), name);
    case Codec::kSnappy:
      return DecodeSnappy(std::move(source), name);
    case Codec::kLzf:
      return DecodeLzf(std::move(source), name);
  }
  return source;
}

// Counts the bytes that the outermost layer consumes.
class CountingSource : public ByteSource {
 public:
  CountingSource(std::unique_ptr<ByteSource> source, std::shared_ptr<int64_t> count)
      : source_(std::move(source)), count_(std::move(count)) {}

  Result<size_t> Read(char* bytes, size_t size) override {
    Result<size_t> got = source_->Read(bytes, size);
    if (got) *count_ += static_cast<int64_t>(*got);
    return got;
  }

 private:
  std::unique_ptr<ByteSource> source_;
  std::shared_ptr<int64_t> count_;
};

// Ends a source that expands beyond the limits.
class LimitedSource : public ByteSource {
 public:
  LimitedSource(std::unique_ptr<ByteSource> source, std::shared_ptr<int64_t> compressed, std::string name,
                const ExpansionLimits& limits)
      : source_(std::move(source)), compressed_(std::move(compressed)), name_(std::move(name)), limits_(limits) {}

  Result<size_t> Read(char* bytes, size_t size) override {
    if (source_ == nullptr) return 0;
    Result<size_t> got = source_->Read(bytes, size);
    if (!got) return got;
    const auto bytes_got = static_cast<int64_t>(*got);
    expanded_ += bytes_got;
    std::string exceeded = Exceeded("", expanded_, *compressed_);
    if (exceeded.empty() && limits_.whole != nullptr) {
      ExpansionLimits::Whole& whole = *limits_.whole;
      const int64_t expanded = whole.expanded.fetch_add(bytes_got, std::memory_order_relaxed) + bytes_got;
      exceeded = Exceeded("its archive ", expanded, whole.compressed);
    }
    if (exceeded.empty()) return got;
    source_.reset();
    return Fail(name_ + ": " + exceeded);
  }

 private:
  // Describes the exceeded limit; empty if there is none.
  std::string Exceeded(std::string_view what, int64_t expanded, int64_t compressed) const {
    if (expanded > limits_.max_bytes) {
      return fmt::format("{}expands to more than {} bytes, the limit of --max-expanded", what, limits_.max_bytes);
    }
    if (expanded <= ExpansionLimits::kRatioFreeBytes || expanded / limits_.max_ratio <= compressed) return {};
    return fmt::format(
        "{}expands to more than {} times its size, the limit of --max-ratio: possible decompression bomb", what,
        limits_.max_ratio);
  }

  std::unique_ptr<ByteSource> source_;
  std::shared_ptr<int64_t> compressed_;
  const std::string name_;
  const ExpansionLimits limits_;
  int64_t expanded_ = 0;
};

class FailedSource : public ByteSource {
 public:
  explicit FailedSource(std::string message) : message_(std::move(message)) {}

  Result<size_t> Read(char*, size_t) override {
    if (message_.empty()) return 0;
    return Fail(std::exchange(message_, {}));
  }

 private:
  std::string message_;
};

}  // namespace

Codec DetectCodec(std::string_view begin) {
  using std::string_view_literals::operator""sv;
  // The magic number of a skippable frame has arbitrary lowest four bits.
  const bool skippable = begin.size() >= 4 && (begin[0] & '\xf0') == 0x50 && begin.substr(1, 3) == "\x2a\x4d\x18";
  if (begin.starts_with("\x1f\x8b\x08")) return Codec::kGzip;
  if (begin.starts_with("\x28\xb5\x2f\xfd") || skippable) return Codec::kZstd;
  if (begin.starts_with("LZ4Block")) return Codec::kLz4Block;
  if (begin.starts_with("\x82SNAPPY\0"sv)) return Codec::kSnappy;
  if (begin.starts_with("ZV\0"sv) || begin.starts_with("ZV\1")) return Codec::kLzf;
  return Codec::kNone;
}

std::string_view CodecName(Codec codec) {
  constexpr std::string_view kNames[] = {"", "gzip", "zstd", "lz4", "snappy", "lzf"};
  return kNames[static_cast<size_t>(codec)];
}

std::unique_ptr<ByteSource> Decompress(std::unique_ptr<ByteSource> source, const std::string& name,
                                       const ExpansionLimits& limits) {
  const auto compressed = std::make_shared<int64_t>(0);
  for (int layers = 0;; ++layers) {
    std::optional<Error> error;
    std::string head = ReadUpTo(source.get(), kCodecMagicBytes, &error);
    const Codec codec = DetectCodec(head);
    source = HeadedSource(std::move(head), std::move(error), std::move(source));
    if (codec == Codec::kNone) return source;
    if (layers == limits.max_layers) {
      return std::make_unique<FailedSource>(fmt::format(
          "{}: more than {} layers of nested compression, the limit of --max-layers", name, limits.max_layers));
    }
    if (layers == 0) source = std::make_unique<CountingSource>(std::move(source), compressed);
    source = std::make_unique<LimitedSource>(Decode(codec, std::move(source), name), compressed, name, limits);
  }
}

std::unique_ptr<ByteSource> LimitExpansion(std::unique_ptr<ByteSource> source, int64_t compressed_size,
                                           const std::string& name, const ExpansionLimits& limits) {
  return std::make_unique<LimitedSource>(std::move(source), std::make_shared<int64_t>(compressed_size), name, limits);
}

}  // namespace sparkprof
