// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sparkprof {

// The 68 bytes that a chunk begins with, big-endian: "FLR\0", u16 major, u16 minor, then seven u64 in the order below,
// then four bytes: state, two reserved, flags (bit 0: compressed integers). Offsets count from the chunk's start.
struct JfrChunkHeader {
  uint64_t size = 0;
  uint64_t constants_offset = 0;  // of the last constant-pool event; 0 while the chunk is being written
  uint64_t metadata_offset = 0;
  int64_t start_epoch_ns = 0;
  int64_t duration_ns = 0;
  int64_t start_ticks = 0;
  int64_t ticks_per_second = 0;

  // Saturates instead of overflowing: ticks come from foreign data.
  int64_t TicksToNanos(int64_t ticks) const;
  int64_t TicksToEpoch(int64_t ticks) const;
};

inline constexpr size_t kJfrHeaderSize = 68;

// The header that `bytes` begins with. Fails when it is none of a version that is read (2.x: JDK 8u262 and later,
// async-profiler), when it says that integers are not compressed, or when a size or offset cannot be. `bytes` may end
// before the chunk does, but not before the header does.
Result<JfrChunkHeader> ParseJfrChunkHeader(std::string_view bytes, const std::string& name, uint64_t offset);

}  // namespace sparkprof
