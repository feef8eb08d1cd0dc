// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "server_options.h"

namespace sparkprof {

// Sends blocks to a collector in bodies of some megabytes, and again while it is busy or away.
class RecordingSender {
 public:
  explicit RecordingSender(ServerClient client) : client_(std::move(client)) {}

  Result<void> Add(std::string_view block);
  // Call after the last block.
  Result<void> Flush();

  uint64_t Blocks() const { return blocks_; }
  uint64_t Bytes() const { return bytes_; }

 private:
  ServerClient client_;
  std::string body_;
  uint64_t blocks_ = 0, bytes_ = 0;
};

// Whether the JVM that wrote the recording ended in order: a killed one has no last segment.
Result<bool> HasEnded(const std::string& path);

// Adds the blocks of one file, as they are. Prints what is damaged.
Result<void> SendRecording(const std::string& path, RecordingSender* sender);

}  // namespace sparkprof
