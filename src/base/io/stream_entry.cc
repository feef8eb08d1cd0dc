// SPDX-License-Identifier: Apache-2.0
#include "base/io/stream_entry.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/io/compression.h"

namespace sparkprof {
namespace {

constexpr int64_t kMaxSearched = int64_t{32} << 20;
constexpr size_t kSearchedAtOnce = size_t{2} << 20;
// Large enough for a frame's first block, and for Spark's lz4 blocks.
constexpr size_t kDecodedAtMost = size_t{1} << 20;
constexpr int kMaxTries = 1000;  // limit of false matches; random data has hardly one

// The first bytes of each frame or block; empty for codecs without entry points.
std::string_view MagicOf(Codec codec) {
  if (codec == Codec::kZstd) return "\x28\xb5\x2f\xfd";
  return codec == Codec::kLz4Block ? "LZ4Block" : "";
}

std::unique_ptr<ByteSource> DecodeEntered(Codec codec, std::unique_ptr<ByteSource> stored, const std::string& name) {
  return codec == Codec::kZstd ? DecodeZstd(std::move(stored), name) : DecodeLz4Blocks(std::move(stored), name);
}

std::string ReadStored(const std::string& path, int64_t offset, size_t size) {
  const Result<std::unique_ptr<ByteSource>> stored = OpenFileSource(path, offset);
  if (!stored) return {};
  std::optional<Error> error;
  return ReadUpTo(stored->get(), size, &error);
}

}  // namespace

Codec EnterableCodec(const std::string& path) {
  const Codec codec = DetectCodec(ReadStored(path, 0, kCodecMagicBytes));
  if (MagicOf(codec).empty()) return Codec::kNone;
  const Result<std::unique_ptr<ByteSource>> events = OpenAtEntry(path, codec, 0);
  if (!events) return Codec::kNone;
  std::optional<Error> error;
  const std::string head = ReadUpTo(events->get(), kCodecMagicBytes, &error);
  return DetectCodec(head) == Codec::kNone ? codec : Codec::kNone;
}

std::optional<size_t> FindEntry(Codec codec, std::string_view stored, size_t end) {
  const std::string_view magic = MagicOf(codec);
  if (magic.empty()) return std::nullopt;
  size_t at = stored.find(magic);
  for (int tries = 0; at < std::min(end, stored.size()) && tries < kMaxTries;
       ++tries, at = stored.find(magic, at + 1)) {
    char byte = 0;
    const Result<size_t> got =
        DecodeEntered(codec, ViewSource(stored.substr(at, kDecodedAtMost)), "entry")->Read(&byte, 1);
    if (got && *got > 0) return at;
  }
  return std::nullopt;
}

std::optional<int64_t> FindEntry(const std::string& path, Codec codec, int64_t offset) {
  constexpr size_t kStep = kSearchedAtOnce - kDecodedAtMost;  // trying a position requires the following data
  for (const int64_t last = offset + kMaxSearched; offset < last; offset += static_cast<int64_t>(kStep)) {
    const std::string stored = ReadStored(path, offset, kSearchedAtOnce);
    const bool is_end = stored.size() < kSearchedAtOnce;
    if (const std::optional<size_t> entry = FindEntry(codec, stored, is_end ? stored.size() : kStep))
      return offset + static_cast<int64_t>(*entry);
    if (is_end) break;
  }
  return std::nullopt;
}

Result<std::unique_ptr<ByteSource>> OpenAtEntry(const std::string& path, Codec codec, int64_t entry, int64_t size,
                                                const ExpansionLimits& limits) {
  Result<std::unique_ptr<ByteSource>> stored = OpenFileSource(path, entry, size);
  if (!stored) return stored;
  std::error_code unknown;
  const auto whole = static_cast<int64_t>(std::filesystem::file_size(path, unknown));
  return LimitExpansion(DecodeEntered(codec, std::move(*stored), path), unknown ? 0 : whole, path, limits);
}

std::string TextAtEnd(std::string_view stored, size_t size) {
  for (const Codec codec : {Codec::kZstd, Codec::kLz4Block}) {
    const std::optional<size_t> entry = FindEntry(codec, stored, stored.size());
    if (entry) return ReadLast(Decompress(ViewSource(stored.substr(*entry)), "end").get(), size);
  }
  return {};
}

std::string ReadLast(ByteSource* source, size_t size) {
  std::string last;
  for (;;) {
    std::optional<Error> error;
    const std::string more = ReadUpTo(source, size, &error);
    last += more;
    last.erase(0, last.size() - std::min(last.size(), size));
    if (more.size() < size) return last;
  }
}

}  // namespace sparkprof
