// SPDX-License-Identifier: Apache-2.0
#include "base/io/line_reader.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

namespace sparkprof {

namespace {

// Starts small for short sources.
constexpr size_t kFirstLineCapacity = size_t{16} << 10;

std::unique_ptr<char[]> PaddedBuffer(size_t capacity) {
  std::unique_ptr<char[]> buffer(new char[capacity + LineReader::kPadding]);
  std::memset(buffer.get() + capacity, 0, LineReader::kPadding);
  return buffer;
}

}  // namespace

LineReader::LineReader(std::unique_ptr<ByteSource> source, LineLimits limits)
    : source_(std::move(source)),
      limits_(limits),
      capacity_(std::min(limits.block_bytes, kFirstLineCapacity)),
      buffer_(PaddedBuffer(capacity_)) {}

// Reads once and appends to the buffer. Returns the number of bytes, 0 at the end.
size_t LineReader::Fill() {
  if (ended_) return 0;
  const Result<size_t> got = source_->Read(buffer_.get() + end_, capacity_ - end_);
  if (!got) error_ = got.error();
  const size_t count = got ? *got : 0;
  if (count == 0) {
    ended_ = true;
    source_.reset();
  }
  end_ += count;
  bytes_ += static_cast<int64_t>(count);
  return count;
}

void LineReader::Grow() {
  const size_t capacity = std::min(capacity_ * 2, limits_.max_line_bytes + limits_.block_bytes);
  std::unique_ptr<char[]> larger = PaddedBuffer(capacity);
  if (end_ > 0) std::memcpy(larger.get(), buffer_.get(), end_);
  buffer_ = std::move(larger);
  capacity_ = capacity;
}

// Drops the buffer and everything up to the line's end. Returns false at the end of the source.
bool LineReader::SkipLongLine() {
  ++dropped_lines_;
  dropped_bytes_ += static_cast<int64_t>(end_);
  for (;;) {
    end_ = 0;
    if (Fill() == 0) return false;
    const void* const newline = std::memchr(buffer_.get(), '\n', end_);
    if (newline == nullptr) {
      dropped_bytes_ += static_cast<int64_t>(end_);
      continue;
    }
    const size_t next = static_cast<size_t>(static_cast<const char*>(newline) - buffer_.get());
    dropped_bytes_ += static_cast<int64_t>(next);
    end_ -= next;
    std::memmove(buffer_.get(), buffer_.get() + next, end_);
    return true;
  }
}

void LineReader::Next(LineBlock* block) {
  block->lines = Next();
  const size_t rest = end_ - begin_;
  const size_t wanted = std::max(rest, std::min(capacity_, limits_.block_bytes));
  // Does not keep a buffer that grew for a long line.
  if (block->capacity < wanted || block->capacity > 4 * std::max(wanted, limits_.block_bytes)) {
    block->buffer = PaddedBuffer(wanted);
    block->capacity = wanted;
  }
  if (rest > 0) std::memcpy(block->buffer.get(), buffer_.get() + begin_, rest);
  std::swap(buffer_, block->buffer);
  std::swap(capacity_, block->capacity);
  begin_ = 0;
  end_ = rest;
}

std::string_view LineReader::Next() {
  std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  size_t searched = 0;
  for (;;) {
    const size_t unsearched = end_ - searched;
    const void* const newline = unsearched == 0 ? nullptr : memrchr(buffer_.get() + searched, '\n', unsearched);
    if (newline != nullptr &&
        ((end_ == capacity_ && capacity_ >= limits_.block_bytes) || ended_ || end_ >= limits_.block_bytes / 2)) {
      const size_t size = static_cast<size_t>(static_cast<const char*>(newline) - buffer_.get()) + 1;
      begin_ = size;
      return {buffer_.get(), size};
    }
    // Searches only bytes without a newline twice.
    if (newline == nullptr) searched = end_;
    if (newline == nullptr && end_ > limits_.max_line_bytes) {
      if (!SkipLongLine()) return {};
      searched = 0;
      continue;
    }
    if (end_ == capacity_) Grow();
    if (Fill() > 0) continue;
    if (newline != nullptr) continue;  // ended_ is set now
    // Parsers may access bytes after an incomplete line.
    std::memset(buffer_.get() + end_, 0, kPadding);
    begin_ = end_;
    return {buffer_.get(), end_};
  }
}

}  // namespace sparkprof
