// SPDX-License-Identifier: Apache-2.0
#include "base/io/input_buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace sparkprof {

// Starts small for small sources.
constexpr size_t kFirstCapacity = 4 << 10;
constexpr size_t kCapacity = 256 << 10;

InputBuffer::InputBuffer(std::unique_ptr<ByteSource> source, std::string name)
    : source_(std::move(source)), name_(std::move(name)), buffer_(kFirstCapacity, '\0') {}

std::string_view InputBuffer::Peek(size_t wanted) {
  if (end_ - begin_ < wanted) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    offset_ += static_cast<int64_t>(begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  while (end_ - begin_ < wanted && !ended_) {
    // The requested size may be invalid, so the buffer grows only with the data.
    if (end_ == buffer_.size() || (was_filled_ && buffer_.size() < kCapacity))
      buffer_.resize(std::min(buffer_.size() * 2, std::max(wanted, kCapacity)));
    const size_t room = buffer_.size() - end_;
    const Result<size_t> got = source_->Read(buffer_.data() + end_, room);
    was_filled_ = got && *got == room;
    if (!got) error_ = got.error();
    ended_ = !got || *got == 0;
    if (got) end_ += *got;
  }
  return std::string_view(buffer_).substr(begin_, end_ - begin_);
}

Error InputBuffer::Fault(std::string_view what) const {
  if (error_) return *error_;
  return Error{fmt::format("{}: {} at byte {}", name_, what, Offset())};
}

}  // namespace sparkprof
