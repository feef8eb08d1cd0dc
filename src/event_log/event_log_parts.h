// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/byte_source.h"
#include "base/result.h"
#include "inputs/inputs.h"

namespace sparkprof {

// A part of an event log, and where the place is in it.
struct LogPlace {
  size_t part = 0;
  int64_t offset = 0;   // bytes as stored; in a compressed part that of an entry, see base/stream_entry.h
  int64_t skipped = 0;  // bytes of events from there to the place; 0 in a plain part

  // clang-tidy 14 takes the 0 that a rewritten comparison compares with for a null pointer.
  auto operator<=>(const LogPlace&) const = default;  // NOLINT(modernize-use-nullptr)
};

// Access to any place of an event log: the sizes of its parts, and what is at a place. Views the log.
class LogParts {
 public:
  explicit LogParts(const Input& log);

  size_t Count() const { return parts_.size(); }
  LogPlace End() const { return {Count(), 0}; }

  // Whether the part is a file without compression.
  bool IsPlain(size_t part) const { return parts_[part].is_plain; }
  // Whether reading can begin in the middle of the part.
  bool IsEnterable(size_t part) const;
  int64_t StoredSize(size_t part) const { return parts_[part].size; }
  // The size of the events in so many stored bytes of a part, estimated for a compressed one.
  int64_t Expanded(size_t part, int64_t stored) const;

  // Bytes before the place, as stored and of events; the latter are estimated for compressed parts.
  int64_t StoredBefore(LogPlace place) const;
  int64_t ExpandedBefore(LogPlace place) const;

  // Events from the place on, at most `size` bytes of them; in a compressed part, from the first entry at or after it
  // on. Empty if there is none, or if the part cannot be read.
  std::string Read(LogPlace place, int64_t size) const;
  // The last events of a part, which is read as a whole if it is compressed and has no entry near its end.
  std::string Tail(size_t part, int64_t size) const;

  // The events from `begin` to `end`, places of whole lines.
  Input Between(LogPlace begin, LogPlace end) const;

  // The start of the next line; that of the part if there is none within kMaxProbeBytes.
  LogPlace NextLine(LogPlace place) const;
  // The place with so many bytes of events between it and `end`, by the estimate; a part that cannot be entered is not
  // divided.
  LogPlace Back(LogPlace end, int64_t bytes) const;

  // How much is read at once where lines are looked for: kProbeBytes, then kLargerProbe times as much up to
  // kMaxProbeBytes, because lines with large plans are long.
  static constexpr int64_t kProbeBytes = int64_t{256} << 10;
  static constexpr int64_t kMaxProbeBytes = int64_t{64} << 20;
  static constexpr int64_t kLargerProbe = 16;

 private:
  struct Part {
    int64_t size = 0;  // as stored; 0 = unknown, of a part in an archive
    bool is_plain = false;
  };

  const std::string& PathOf(size_t part) const { return log_.parts[part].path; }
  double RatioOf(size_t part) const { return IsPlain(part) ? 1 : ratio_; }
  double MeasureRatio() const;
  Result<std::unique_ptr<ByteSource>> Open(LogPlace place) const;

  const Input& log_;
  std::vector<Part> parts_;
  double ratio_ = 0;  // of compressed parts
};

}  // namespace sparkprof
