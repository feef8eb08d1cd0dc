// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "inputs/inputs.h"

namespace sparkprof {

// A part of an event log, and where the place is in it.
struct LogPlace {
  size_t part = 0;
  int64_t offset = 0;  // bytes; 0 in compressed parts, which can only be read from their begin

  // clang-tidy 14 takes the 0 that a rewritten comparison compares with for a null pointer.
  auto operator<=>(const LogPlace&) const = default;  // NOLINT(modernize-use-nullptr)
};

// Access to any place of an event log: the sizes of its parts, and what is at a place. Views the log.
class LogParts {
 public:
  explicit LogParts(const Input& log);

  size_t Count() const { return sizes_.size(); }
  LogPlace End() const { return {Count(), 0}; }

  // Whether the part is a file without compression.
  bool IsPlain(size_t part) const { return is_plain_[part]; }
  int64_t StoredSize(size_t part) const { return sizes_[part]; }
  // The size of its events, estimated for a compressed part.
  int64_t ExpandedSize(size_t part) const;

  // Bytes before the place, as stored and of events.
  int64_t StoredBefore(LogPlace place) const;
  int64_t ExpandedBefore(LogPlace place) const;

  // Bytes of a plain part; empty if it cannot be read.
  std::string Read(size_t part, int64_t offset, int64_t size) const;
  // The first events of a part, at most `size` bytes of them.
  std::string Head(size_t part, int64_t size) const;
  // The last events of a part, which is read as a whole if it is compressed.
  std::string Tail(size_t part, int64_t size) const;

  // The events from `begin` to `end`.
  Input Between(LogPlace begin, LogPlace end) const;

  // The start of the next line; that of the part if there is none within kMostProbeBytes.
  LogPlace NextLine(LogPlace place) const;
  // The place with so many bytes of events between it and `end`; in compressed parts, with a few more.
  LogPlace Back(LogPlace end, int64_t bytes) const;

  // How much is read at once where lines are looked for: kProbeBytes, then kLargerProbe times as much up to
  // kMostProbeBytes, because lines with large plans are long.
  static constexpr int64_t kProbeBytes = int64_t{256} << 10;
  static constexpr int64_t kMostProbeBytes = int64_t{64} << 20;
  static constexpr int64_t kLargerProbe = 16;

 private:
  const Input& log_;
  std::vector<int64_t> sizes_;  // as stored; 0 = unknown, of a part in an archive
  std::vector<bool> is_plain_;
};

}  // namespace sparkprof
