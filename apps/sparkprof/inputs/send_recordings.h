// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "inputs/server_options.h"

namespace sparkprof {

// Sends blocks to a collector in bodies of some megabytes, and retries while it is busy or unreachable. Its own upload
// secret proves that they have one sender.
class RecordingSender {
 public:
  static Result<RecordingSender> Create(const CollectorOptions& options);

  Result<void> Add(std::string_view block);
  // Call after the last block.
  Result<void> Flush();

  uint64_t Blocks() const { return blocks_; }
  uint64_t Bytes() const { return bytes_; }

 private:
  RecordingSender(ServerClient client, std::string secret) : client_(std::move(client)), secret_(std::move(secret)) {}

  ServerClient client_;
  std::string secret_;
  std::string body_;
  uint64_t blocks_ = 0, bytes_ = 0;
};

struct RecordingSummary {
  bool has_ended = false;         // the JVM ended normally: a killed one has no last segment
  bool has_spark_events = false;  // it is the driver's
};
Result<RecordingSummary> SummaryOf(const std::string& path);

// Sends the blocks of one file unchanged. Prints damage.
Result<void> SendRecording(const std::string& path, RecordingSender* sender);

}  // namespace sparkprof
