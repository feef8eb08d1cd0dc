// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "model/segment/segment.h"
#include "pipe_frames.h"
#include "sampling_budget.h"

namespace sparkprof {

// Sends frames to the plugin. Never blocks: data that the pipe does not accept is queued up to a limit; further blocks
// are dropped and counted.
class PluginPipe {
 public:
  explicit PluginPipe(int fd);

  void Ready(const std::string& path);
  void Block(const std::string& block);
  // Reports the number of the plugin's frames in the recording.
  void Recorded(int64_t frames);
  // Reports that the recording continues in this file, whose first byte has the position `base` in the recording.
  void Spool(int64_t base, const std::string& path);
  void Intervals(const EventNumbers& intervals);
  // Redacts the text.
  void Log(NoticeLevel level, const std::string& text);

  // Writes as much as the pipe accepts.
  void Write();
  bool HasPending() const { return !queue_.empty(); }
  int64_t DroppedBytes() const { return dropped_bytes_; }

 private:
  void Send(std::string frame);

  const int fd_;
  std::deque<std::string> queue_;
  size_t written_ = 0;  // bytes written of the queue's first frame
  size_t queued_bytes_ = 0;
  int64_t dropped_bytes_ = 0;
  bool broken_ = false;
};

}  // namespace sparkprof
