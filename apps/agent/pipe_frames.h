// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sparkprof {

// Frames of docs/agent-protocol.md.

enum class FromPlugin : uint8_t {
  kHello = 1,
  kTaskBegin = 2,
  kTaskEnd = 3,
  kSparkEvent = 4,
  kDumped = 5,
  kIdentity = 6,
  kLoss = 7,
  kNotice = 8,
  kStopping = 9,
  kUploaded = 10,
  kSettings = 11,
  kHeapSummary = 12,
  kGauges = 13,
};

enum class ToPlugin : uint8_t { kReady = 1, kBlock = 2, kLog = 3, kRecorded = 4, kSpool = 5, kIntervals = 6 };

inline constexpr size_t kMaxPipeFrameSize = size_t{64} << 20;

struct PipeFrame {
  FromPlugin kind;
  std::string_view payload;  // valid until the reader's next call
};

class PipeReader {
 public:
  void Append(std::string_view bytes);

  // The next complete frame, if any. Fails for a frame longer than the protocol allows; the connection must then be
  // closed.
  Result<std::optional<PipeFrame>> Next();

 private:
  std::string buffer_;
  size_t position_ = 0;
};

// Reads a payload from its start. Beyond its end, all values are 0 or empty, and Good() returns false.
class PayloadReader {
 public:
  explicit PayloadReader(std::string_view payload) : rest_(payload) {}

  uint8_t U8() { return static_cast<uint8_t>(Unsigned(1)); }
  uint32_t U32() { return static_cast<uint32_t>(Unsigned(4)); }
  int32_t I32() { return static_cast<int32_t>(U32()); }
  int64_t I64() { return static_cast<int64_t>(Unsigned(8)); }
  std::string_view Text();  // preceded by its u32 length
  std::string_view Rest() const { return rest_; }
  bool AtEnd() const { return rest_.empty(); }
  bool Good() const { return good_; }

 private:
  uint64_t Unsigned(size_t size);

  std::string_view rest_;
  bool good_ = true;
};

// Key-value pairs of HELLO, IDENTITY and LOSS; nullopt for an invalid length.
std::optional<std::map<std::string, std::string>> ReadPairs(std::string_view payload);

std::string EncodePipeFrame(ToPlugin kind, std::string_view payload);

}  // namespace sparkprof
