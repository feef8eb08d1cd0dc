// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"
#include "formats/jfr/jfr_chunk_header.h"

namespace sparkprof {

// The memory file that async-profiler writes its JFR to. Complete chunks are read from the start and their memory is
// released at once, while the profiler appends at the end.
class JfrTail {
 public:
  // Made in memory (memfd); where the kernel has none (before 3.17) a temporary file without a name.
  static Result<JfrTail> Create();

  // Where another process of the same user can open it.
  std::string Path() const;

  // Passes each complete chunk that started before `before_ns` (CLOCK_MONOTONIC, if that is the chunk's clock) to
  // `on_chunk`, with its offset in the file. Chunks of more than 256 MiB and invalid bytes are dropped and counted.
  using OnChunk = std::function<void(std::string_view chunk, const JfrChunkHeader& header, uint64_t offset)>;
  void ReadChunks(int64_t before_ns, const OnChunk& on_chunk);

  int64_t DroppedBytes() const { return dropped_bytes_; }

 private:
  explicit JfrTail(FileDescriptor file) : file_(std::move(file)) {}

  void Release();

  FileDescriptor file_;
  uint64_t offset_ = 0;    // of the first chunk that has not been read
  uint64_t released_ = 0;  // memory up to here is released
  int64_t dropped_bytes_ = 0;
};

}  // namespace sparkprof
