// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "model/clocks.h"
#include "model/segment.h"

namespace sparkprof {

// A series that is being written. Only changes are: after equal values, the last of them precedes the next one.
struct Curve {
  double value = 0;
  int64_t time_ns = 0;      // of the last value, written or not
  uint32_t row = 0;         // of the segment's series, if `generation` is the segment's
  uint32_t generation = 0;  // 0 = nothing written yet
  bool is_held = false;     // the last value is not written, because it is that before
};

// The process that a series is about; 0 = the host.
struct CurveOwner {
  int64_t pid = 0;
  int64_t start_ticks = 0;
};

// Collects the data of a node's recording until its next block. Not thread-safe.
class NodeSegment {
 public:
  explicit NodeSegment(Source source, ClockReader clock = ReadClocks)
      : source_(std::move(source)), clock_(std::move(clock)) {}

  void Put(std::string_view name, SeriesKind kind, CurveOwner owner, SeriesPoint point, Curve* curve);
  // Writes a held value: the curve's process has ended.
  void Finish(std::string_view name, SeriesKind kind, CurveOwner owner, Curve* curve);

  void AddProcess(const Process& process);
  void AddNotice(NoticeLevel level, std::string text);
  void AddSetting(std::string name, std::string value);
  // `total` since the monitor started; what this recording lost is written when it changes.
  void SetLoss(const std::string& what, const std::string& reason, int64_t total);

  // Estimate of the bytes of the message.
  size_t Size() const { return size_; }

  // `on_full` takes a block whenever the writer of many rows finds that one is large enough.
  void SetOnFull(std::function<void()> on_full) { on_full_ = std::move(on_full); }
  void TakeIfFull() {
    if (size_ >= kMaxBytes && on_full_) on_full_();
  }
  static constexpr size_t kMaxBytes = size_t{1} << 20;

  // The block of everything since the last call. `last`: no other follows.
  std::string Take(bool last);

  // From the next block on: another recording of the same process.
  void Begin(Source source);

 private:
  void Append(std::string_view name, SeriesKind kind, CurveOwner owner, SeriesPoint point, Curve* curve);

  Source source_;
  const ClockReader clock_;
  Segment segment_;
  uint32_t generation_ = 1;
  size_t size_ = 0;
  std::function<void()> on_full_;
  struct LossTotal {
    int64_t before = 0;   // in earlier recordings
    int64_t written = 0;  // in this one
  };
  std::map<std::pair<std::string, std::string>, LossTotal> losses_;
};

}  // namespace sparkprof
