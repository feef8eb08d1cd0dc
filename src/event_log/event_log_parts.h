// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/io/byte_source.h"
#include "base/result.h"
#include "inputs/inputs.h"

namespace sparkprof {

struct LogPlace {
  size_t part = 0;
  int64_t offset = 0;   // stored bytes; in a compressed part, position of an entry point (base/io/stream_entry.h)
  int64_t skipped = 0;  // bytes of events from the offset to the position; 0 in an uncompressed part

  // clang-tidy 14 mistakes the 0 in a rewritten comparison for a null pointer.
  auto operator<=>(const LogPlace&) const = default;  // NOLINT(modernize-use-nullptr)
};

// Random access to an event log: sizes of its parts, and the content at a position. Refers to the log.
class LogParts {
 public:
  explicit LogParts(const Input& log);

  size_t Count() const { return parts_.size(); }
  LogPlace End() const { return {Count(), 0}; }

  bool IsPlain(size_t part) const { return parts_[part].is_plain; }
  // Whether reading can start in the middle of the part.
  bool IsEnterable(size_t part) const;
  int64_t StoredSize(size_t part) const { return parts_[part].size; }
  // Size of the events in this many stored bytes of a part; estimated for a compressed one.
  int64_t Expanded(size_t part, int64_t stored) const;

  // Bytes before the position: stored, and of events (estimated for compressed parts).
  int64_t StoredBefore(LogPlace place) const;
  int64_t ExpandedBefore(LogPlace place) const;

  // At most `size` bytes of events from the position on; in a compressed part, from the next entry point on. Empty if
  // there is none or the part cannot be read.
  std::string Read(LogPlace place, int64_t size) const;
  // The last events of a part, which is read completely if it is compressed without an entry point near its end.
  std::string Tail(size_t part, int64_t size) const;

  // The events from `begin` to `end`, which must be line starts.
  Input Between(LogPlace begin, LogPlace end) const;

  // The start of the next line; the start of the part if there is none within kMaxProbeBytes.
  LogPlace NextLine(LogPlace place) const;
  // The position that precedes `end` by an estimated number of bytes of events. A part without entry points is not
  // split.
  LogPlace Back(LogPlace end, int64_t bytes) const;

  // Size of a read when searching for lines: kProbeBytes, multiplied by kLargerProbe up to kMaxProbeBytes, because
  // lines with large plans are long.
  static constexpr int64_t kProbeBytes = int64_t{256} << 10;
  static constexpr int64_t kMaxProbeBytes = int64_t{64} << 20;
  static constexpr int64_t kLargerProbe = 16;

 private:
  struct Part {
    int64_t size = 0;  // stored size; 0 = unknown, in an archive
    bool is_plain = false;
  };

  const std::string& PathOf(size_t part) const { return log_.parts[part].path; }
  double RatioOf(size_t part) const { return IsPlain(part) ? 1 : ratio_; }
  double MeasureRatio() const;
  Result<std::unique_ptr<ByteSource>> Open(LogPlace place) const;

  const Input& log_;
  std::vector<Part> parts_;
  double ratio_ = 0;  // compression ratio
};

}  // namespace sparkprof
