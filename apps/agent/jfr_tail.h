// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/io/file.h"
#include "base/result.h"
#include "formats/jfr/jfr_chunk_header.h"

namespace sparkprof {

// The memory file to which async-profiler writes JFR. Reads complete chunks from the start and releases their memory,
// while the profiler appends at the end.
class JfrTail {
 public:
  // Creates a memfd, or an unnamed temporary file on kernels before 3.17.
  static Result<JfrTail> Create();

  // Path under which another process of the same user can open it.
  std::string Path() const;

  // Passes each complete chunk that started before `before_ns` (CLOCK_MONOTONIC, if that is the chunk's clock) to
  // `on_chunk`, with its offset in the file. Drops and counts chunks of more than 256 MiB and invalid bytes.
  using OnChunk = std::function<void(std::string_view chunk, const JfrChunkHeader& header, uint64_t offset)>;
  void ReadChunks(int64_t before_ns, const OnChunk& on_chunk);

  int64_t DroppedBytes() const { return dropped_bytes_; }

 private:
  explicit JfrTail(FileDescriptor file) : file_(std::move(file)) {}

  void Release();

  FileDescriptor file_;
  uint64_t offset_ = 0;    // offset of the first unread chunk
  uint64_t released_ = 0;  // end of the released memory
  int64_t dropped_bytes_ = 0;
};

}  // namespace sparkprof
