// SPDX-License-Identifier: Apache-2.0
#include "plugin_pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/redaction/redaction.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxQueuedBytes = size_t{8} << 20;

std::string BigEndian(int64_t number) {
  std::string bytes;
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(static_cast<uint64_t>(number) >> shift);
  return bytes;
}

}  // namespace

PluginPipe::PluginPipe(int fd) : fd_(fd) { fcntl(fd_, F_SETFL, fcntl(fd_, F_GETFL) | O_NONBLOCK); }

void PluginPipe::Ready(const std::string& path) { Send(EncodePipeFrame(ToPlugin::kReady, path)); }

void PluginPipe::Block(const std::string& block) {
  if (broken_ || queued_bytes_ + block.size() > kMaxQueuedBytes) {
    dropped_bytes_ += static_cast<int64_t>(block.size());
    return;
  }
  Send(EncodePipeFrame(ToPlugin::kBlock, block));
}

void PluginPipe::Recorded(int64_t frames) { Send(EncodePipeFrame(ToPlugin::kRecorded, BigEndian(frames))); }

void PluginPipe::Spool(int64_t base, const std::string& path) {
  Send(EncodePipeFrame(ToPlugin::kSpool, BigEndian(base) + path));
}

void PluginPipe::Intervals(const EventNumbers& intervals) {
  std::string payload;
  for (const int64_t interval : intervals) payload += BigEndian(interval);
  Send(EncodePipeFrame(ToPlugin::kIntervals, payload));
}

void PluginPipe::Log(NoticeLevel level, const std::string& text) {
  if (queued_bytes_ > kMaxQueuedBytes) return;
  Send(EncodePipeFrame(ToPlugin::kLog, static_cast<char>(level) + RedactText(text)));
}

void PluginPipe::Send(std::string frame) {
  if (broken_) return;
  queued_bytes_ += frame.size();
  queue_.push_back(std::move(frame));
  Write();
}

void PluginPipe::Write() {
  while (!queue_.empty()) {
    const std::string_view rest = std::string_view(queue_.front()).substr(written_);
    const ssize_t written = write(fd_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) return;
    if (written < 0) {
      broken_ = true;
      queue_.clear();
      queued_bytes_ = 0;
      return;
    }
    written_ += static_cast<size_t>(written);
    if (written_ < queue_.front().size()) continue;
    queued_bytes_ -= queue_.front().size();
    queue_.pop_front();
    written_ = 0;
  }
}

}  // namespace sparkprof
