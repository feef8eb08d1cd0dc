// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "model/segment/segment.h"

namespace sparkprof {

// A series being written. Only changes are stored: after equal values, the last one is written before the next change.
struct Curve {
  double value = 0;
  int64_t time_ns = 0;      // time of the last value, written or not
  uint32_t row = 0;         // row of the segment's series, if `generation` matches the segment
  uint32_t generation = 0;  // 0 = nothing written yet
  bool is_held = false;     // the last value equals the previous one and is not written yet
};

// The process that a series belongs to; 0 = the host.
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
  // Writes a held value, because the curve's process has ended.
  void Finish(std::string_view name, SeriesKind kind, CurveOwner owner, Curve* curve);

  void AddProcess(const Process& process);
  void AddNotice(NoticeLevel level, std::string text);
  void AddSetting(std::string name, std::string value);
  // `total` since the monitor started. A change is written as this recording's loss.
  void SetLoss(const std::string& what, const std::string& reason, int64_t total);

  // Estimated size of the message.
  size_t Size() const { return size_; }

  // `on_full` receives a block whenever one is large enough while many rows are written.
  void SetOnFull(std::function<void()> on_full) { on_full_ = std::move(on_full); }
  void TakeIfFull() {
    if (size_ >= kMaxBytes && on_full_) on_full_();
  }
  static constexpr size_t kMaxBytes = size_t{1} << 20;

  // Returns a block with everything since the last call. `last`: no block follows.
  std::string Take(bool last);

  // Starts another recording of the same process with the next block.
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
    int64_t written = 0;  // in this recording
  };
  std::map<std::pair<std::string, std::string>, LossTotal> losses_;
};

}  // namespace sparkprof
