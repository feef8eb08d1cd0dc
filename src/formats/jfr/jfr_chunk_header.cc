// SPDX-License-Identifier: Apache-2.0
#include "formats/jfr/jfr_chunk_header.h"

#include <fmt/format.h>

#include <limits>

#include "base/saturate.h"
#include "base/time.h"
#include "formats/jfr/jfr_cursor.h"
#include "formats/jfr/jfr_reader.h"

namespace sparkprof {
namespace {

constexpr std::string_view kJfrMagic{"FLR\0", 4};
// Offsets inside a chunk are kept in 32 bits. async-profiler's default is 100 MB, the JDK's 12 MB.
constexpr uint64_t kMaxChunkSize = std::numeric_limits<uint32_t>::max();
// With a larger value, the remainder of a division, in ns, would overflow int64.
constexpr int64_t kMaxTicksPerSecond = 9'000'000'000;

std::string Printable(std::string_view bytes) {
  if (bytes.empty()) return "the end of the file";
  std::string text = "\"";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7F && c != '"' && c != '\\') {
      text += c;
    } else {
      text += fmt::format("\\x{:02x}", byte);
    }
  }
  return text + "\"";
}

}  // namespace

int64_t JfrChunkHeader::TicksToNanos(int64_t ticks) const {
  if (ticks_per_second == kNanosPerSecond) return ticks;
  int64_t nanos = MultiplySaturated(ticks / ticks_per_second, kNanosPerSecond);
  AddSaturated(ticks % ticks_per_second * kNanosPerSecond / ticks_per_second, &nanos);
  return nanos;
}

int64_t JfrChunkHeader::TicksToEpoch(int64_t ticks) const {
  int64_t since_start = 0;
  if (__builtin_sub_overflow(ticks, start_ticks, &since_start)) return start_epoch_ns;
  int64_t epoch_ns = start_epoch_ns;
  AddSaturated(TicksToNanos(since_start), &epoch_ns);
  return epoch_ns;
}

Result<JfrChunkHeader> ParseJfrChunkHeader(std::string_view bytes, const std::string& name, uint64_t offset) {
  const auto fail = [&](const std::string& what) -> tl::unexpected<Error> {
    return Fail(fmt::format("{}: offset {}: {}", name, offset, what));
  };
  const std::string_view magic = bytes.substr(0, kJfrMagic.size());
  if (magic != kJfrMagic.substr(0, magic.size()) || bytes.empty()) {
    return fail("expected a JFR chunk (magic FLR\\0), found " + Printable(magic));
  }
  if (bytes.size() < kJfrHeaderSize) {
    return fail(fmt::format("expected the {} bytes of a JFR chunk's header, found {}", kJfrHeaderSize, bytes.size()));
  }
  JfrCursor cursor(bytes, kJfrMagic.size(), kJfrHeaderSize);
  const uint32_t version = cursor.Fixed32();
  if (version >> 16 != 2) {
    return fail(
        fmt::format("unsupported JFR version {}.{}; version 2 (JDK 8u262 and later, async-profiler) is supported",
                    version >> 16, version & 0xFFFF));
  }
  JfrChunkHeader header;
  header.size = cursor.Fixed64();
  header.constants_offset = cursor.Fixed64();
  header.metadata_offset = cursor.Fixed64();
  header.start_epoch_ns = static_cast<int64_t>(cursor.Fixed64());
  header.duration_ns = static_cast<int64_t>(cursor.Fixed64());
  header.start_ticks = static_cast<int64_t>(cursor.Fixed64());
  header.ticks_per_second = static_cast<int64_t>(cursor.Fixed64());
  const uint32_t features = cursor.Fixed32();
  if ((features & 1) == 0) {
    return fail("uncompressed integers are unsupported; record with the default setting (compressedintegers=true)");
  }
  if (header.ticks_per_second <= 0 || header.ticks_per_second > kMaxTicksPerSecond) {
    return fail(fmt::format("invalid clock rate: {} ticks per second", header.ticks_per_second));
  }
  if (header.IsBeingWritten()) return header;
  if (header.size < kJfrHeaderSize || header.size > kMaxChunkSize) {
    return fail(
        fmt::format("invalid chunk size: {} bytes; expected {} to {}", header.size, kJfrHeaderSize, kMaxChunkSize));
  }
  if (header.constants_offset >= header.size || header.metadata_offset >= header.size ||
      header.constants_offset < kJfrHeaderSize || header.metadata_offset < kJfrHeaderSize) {
    return fail(fmt::format("constant pools at {} and metadata at {} are outside the chunk of {} bytes",
                            header.constants_offset, header.metadata_offset, header.size));
  }
  return header;
}

}  // namespace sparkprof
