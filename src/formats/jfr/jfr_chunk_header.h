// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sparkprof {

// The first 68 bytes of a chunk, big-endian: "FLR\0", u16 major, u16 minor, then seven u64 in the order below, then
// four bytes: state, two reserved, flags (bit 0: compressed integers). Offsets are relative to the start of the chunk.
struct JfrChunkHeader {
  uint64_t size = 0;
  uint64_t constants_offset = 0;  // last constant-pool event; 0 while the chunk is being written
  uint64_t metadata_offset = 0;
  int64_t start_epoch_ns = 0;
  int64_t duration_ns = 0;
  int64_t start_ticks = 0;
  int64_t ticks_per_second = 0;

  // While a chunk is being written, its size and offsets are unknown.
  bool IsBeingWritten() const { return constants_offset == 0 || metadata_offset == 0; }
  // Saturates instead of overflowing, because ticks are untrusted.
  int64_t TicksToNanos(int64_t ticks) const;
  int64_t TicksToEpoch(int64_t ticks) const;
};

inline constexpr size_t kJfrHeaderSize = 68;

// The header at the start of `bytes`. Fails for an unsupported version (2.x is supported: JDK 8u262 and later,
// async-profiler), uncompressed integers, and invalid sizes or offsets. `bytes` must contain the header, but need not
// contain the chunk.
Result<JfrChunkHeader> ParseJfrChunkHeader(std::string_view bytes, const std::string& name, uint64_t offset);

}  // namespace sparkprof
