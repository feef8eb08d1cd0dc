// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "http/message.h"

namespace sparkprof {

// Bounds the memory of finished answers that slow clients have not read yet. Thread-safe.
class AnswerBudget {
 public:
  explicit AnswerBudget(uint64_t max_bytes = uint64_t{256} << 20)
      : max_bytes_(max_bytes), used_(std::make_shared<std::atomic<uint64_t>>(0)) {}

  // Counts the body until the response is sent. Returns false if there is no room. Small bodies and bodies shared with
  // other requests do not count.
  bool Hold(HttpResponse* response) {
    constexpr uint64_t kSmall = 64 << 10;
    const uint64_t bytes = response->Body().size();
    if (bytes <= kSmall || response->body.use_count() > 1) return true;
    if (used_->fetch_add(bytes) + bytes > max_bytes_) {
      *used_ -= bytes;
      return false;
    }
    // Keeps the body alive, and releases its bytes from the budget at the end.
    const std::string* const text = response->body.get();
    std::shared_ptr<const void> held(text,
                                     [body = response->body, used = used_, bytes](const void*) { *used -= bytes; });
    response->body = std::shared_ptr<const std::string>(std::move(held), text);
    return true;
  }

  uint64_t Bytes() const { return *used_; }

 private:
  const uint64_t max_bytes_;
  const std::shared_ptr<std::atomic<uint64_t>> used_;
};

}  // namespace sparkprof
