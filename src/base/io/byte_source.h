// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sparkprof {

// A stream of bytes: a file, a part of one, or decompressed data.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Reads up to `size` (at least 1) bytes and returns their number; 0 = end. An error names the source and the offset;
  // earlier data is valid, and the source has ended.
  virtual Result<size_t> Read(char* bytes, size_t size) = 0;
};

// A file from `offset` on, at most `size` bytes.
Result<std::unique_ptr<ByteSource>> OpenFileSource(const std::string& path, int64_t offset = 0,
                                                   int64_t size = INT64_MAX);

// Number of bytes that all threads have read from file sources so far, for progress display.
uint64_t BytesReadFromFiles();

// Bytes in memory. They must outlive the source, unless `owner` keeps them alive.
std::unique_ptr<ByteSource> ViewSource(std::string_view bytes, std::shared_ptr<const void> owner = nullptr);

std::unique_ptr<ByteSource> StringSource(std::string bytes);

// A source whose start was already read for inspection: `head`, then `error` if reading it failed, then the rest.
std::unique_ptr<ByteSource> HeadedSource(std::string head, std::optional<Error> error,
                                         std::unique_ptr<ByteSource> rest);

// The rest of `source`; fails if it has more than `max_size` bytes. `name` is for the message.
Result<std::string> ReadAll(ByteSource* source, size_t max_size, const std::string& name);

// The complete file at `path`; fails if it has more than `max_size` bytes.
Result<std::string> ReadAll(const std::string& path, size_t max_size);

// The next `size` bytes of `source`, or fewer at its end; sets `error` if it failed.
std::string ReadUpTo(ByteSource* source, size_t size, std::optional<Error>* error);

// Adds to BytesReadFromFiles. For readers of mapped files, which no source counts, after they have read a part.
void CountBytesRead(uint64_t bytes);

// How text starts that is UTF-16.
struct Utf16Head {
  bool is_utf16 = false;
  bool is_big_endian = false;
  size_t mark = 0;  // bytes of the byte order mark
};

// By the byte order mark, or by a zero in every other byte, which Latin letters have. 64 bytes are enough.
Utf16Head Utf16HeadOf(std::string_view head);

// `source` as readers of text expect it: UTF-8 without a byte order mark, lines that end in LF. Converts UTF-16 (as
// PowerShell writes it), CRLF, and CR alone in text without LF. An invalid UTF-16 unit becomes U+FFFD; half a unit at
// the end is an error after all text. Binary data passes unchanged. `name` is for messages.
std::unique_ptr<ByteSource> DecodeText(std::unique_ptr<ByteSource> source, std::string name);

}  // namespace sparkprof
