// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/io/byte_source.h"

namespace sparkprof {

struct LineLimits {
  size_t block_bytes = 1 << 20;  // size of a read; a block grows for a longer line
  // The text of a longer line is dropped by up to a block; the line becomes empty.
  size_t max_line_bytes = 64u << 20;
};

// Lines with their own buffer, for LineReader.
struct LineBlock {
  std::string_view lines;
  std::unique_ptr<char[]> buffer;
  size_t capacity = 0;
};

// Reads a source in blocks of complete lines:
//     LineReader reader(std::move(source));
//     for (std::string_view lines = reader.Next(); !lines.empty(); lines = reader.Next()) engine.AddLines(lines);
//     if (reader.SourceError()) …
// Every line of a block ends with '\n', except possibly the last line of the source. After an error of the source (a
// truncated or damaged file), all data before it is still delivered, including a partial last line.
class LineReader {
 public:
  explicit LineReader(std::unique_ptr<ByteSource> source, LineLimits limits = {});

  // The next block, valid until the next call; empty = the end. At least kPadding bytes after it are readable.
  std::string_view Next();
  static constexpr size_t kPadding = 64;

  // Like Next(), but the lines are valid until `block` is reused: reader and block exchange their buffers.
  void Next(LineBlock* block);

  const std::optional<Error>& SourceError() const { return error_; }
  int64_t Bytes() const { return bytes_; }                 // bytes of the source, including dropped ones
  int64_t DroppedLines() const { return dropped_lines_; }  // longer than max_line_bytes
  int64_t DroppedBytes() const { return dropped_bytes_; }

 private:
  size_t Fill();
  void Grow();
  bool SkipLongLine();

  std::unique_ptr<ByteSource> source_;
  LineLimits limits_;
  size_t capacity_ = 0;
  std::unique_ptr<char[]> buffer_;
  size_t begin_ = 0;  // start of the undelivered part of buffer_
  size_t end_ = 0;
  bool ended_ = false;
  std::optional<Error> error_;
  int64_t bytes_ = 0;
  int64_t dropped_lines_ = 0;
  int64_t dropped_bytes_ = 0;
};

}  // namespace sparkprof
