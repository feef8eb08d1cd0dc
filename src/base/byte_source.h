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

// Bytes owned by the source.
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

}  // namespace sparkprof
