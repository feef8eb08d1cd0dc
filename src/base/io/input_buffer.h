// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/io/byte_source.h"

namespace sparkprof {

// Lookahead in a source, for readers of binary formats.
class InputBuffer {
 public:
  // `name` is for messages.
  InputBuffer(std::unique_ptr<ByteSource> source, std::string name);

  // The next bytes: at least `wanted`, fewer only at the end of the source. Valid until the next call.
  std::string_view Peek(size_t wanted);
  void Consume(size_t size) { begin_ += size; }  // consumes bytes returned by the last Peek

  // "NAME: WHAT at byte OFFSET", or the source's own error if it caused the end.
  Error Fault(std::string_view what) const;
  const std::optional<Error>& SourceError() const { return error_; }
  int64_t Offset() const { return offset_ + static_cast<int64_t>(begin_); }

 private:
  std::unique_ptr<ByteSource> source_;
  const std::string name_;
  std::string buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  int64_t offset_ = 0;       // offset of buffer_
  bool was_filled_ = false;  // whether the last read filled the buffer
  bool ended_ = false;
  std::optional<Error> error_;
};

}  // namespace sparkprof
