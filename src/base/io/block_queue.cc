// SPDX-License-Identifier: Apache-2.0
#include "base/io/block_queue.h"

#include <utility>

namespace sparkprof {

constexpr size_t kBlocksAhead = 3;

BlockQueue::BlockQueue(std::unique_ptr<LineReader> reader)
    : reader_(std::move(reader)), thread_([this] { ReadAhead(); }) {}

BlockQueue::~BlockQueue() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void BlockQueue::ReadAhead() {
  try {
    ReadBlocks();
  } catch (...) {
    const std::lock_guard lock(mutex_);
    problem_ = std::current_exception();
    ended_ = true;
  }
  changed_.notify_all();
}

void BlockQueue::ReadBlocks() {
  for (;;) {
    std::string block;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopped_ || ready_.size() < kBlocksAhead; });
      if (stopped_) return;
      if (!free_.empty()) {
        block = std::move(free_.front());
        free_.pop_front();
      }
    }
    const std::string_view lines = reader_->Next();
    block.reserve(lines.size() + LineReader::kPadding);
    block.assign(lines);
    {
      const std::lock_guard lock(mutex_);
      if (lines.empty()) {
        ended_ = true;
      } else {
        ready_.push_back(std::move(block));
      }
    }
    changed_.notify_all();
    if (lines.empty()) return;
  }
}

std::string_view BlockQueue::Next() {
  std::unique_lock lock(mutex_);
  if (!current_.empty() && current_.capacity() <= 4 * LineLimits{}.block_bytes) free_.push_back(std::move(current_));
  changed_.wait(lock, [this] { return ended_ || !ready_.empty(); });
  current_.clear();
  if (ready_.empty() && problem_) std::rethrow_exception(problem_);
  if (!ready_.empty()) {
    current_ = std::move(ready_.front());
    ready_.pop_front();
  }
  lock.unlock();
  changed_.notify_all();
  return current_;
}

}  // namespace sparkprof
