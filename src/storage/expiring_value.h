// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

#include "base/result.h"
#include "base/time.h"

namespace sparkprof {

// A value with a limited lifetime, such as a service token. Requests it on first use, and again shortly before it
// expires. Thread-safe.
template <typename Value>
class ExpiringValue {
 public:
  struct Known {
    Value value;
    int64_t expires_ns = INT64_MAX;  // since the Unix epoch
  };
  using Ask = std::function<Result<Known>()>;

  explicit ExpiringValue(Ask ask) : ask_(std::move(ask)) {}

  Result<Value> Get() {
    constexpr int64_t kEarly = 60 * kNanosPerSecond;  // margin for the duration of a request
    const std::lock_guard lock(mutex_);
    if (known_.expires_ns - kEarly > EpochNanos()) return known_.value;
    Result<Known> known = ask_();
    if (!known) return tl::unexpected(known.error());
    known_ = std::move(*known);
    return known_.value;
  }

 private:
  const Ask ask_;
  std::mutex mutex_;
  Known known_{{}, 0};
};

}  // namespace sparkprof
