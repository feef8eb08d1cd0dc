// SPDX-License-Identifier: Apache-2.0
#include "allocation_weights.h"

#include <cmath>

namespace sparkprof {
namespace {

// Limits memory for jobs that keep starting threads; a dropped draw counts as a new one.
constexpr size_t kMaxThreads = 10'000;

}  // namespace

int64_t AllocationWeights::Weight(int64_t tid, int64_t size) {
  if (drawn_.size() > kMaxThreads) drawn_.clear();
  int64_t& drawn = drawn_.try_emplace(tid, interval_).first->second;
  const auto interval = static_cast<double>(drawn);
  drawn = interval_;
  if (size <= 0 || interval <= 0) return size;
  const auto bytes = static_cast<double>(size);
  return std::llround(bytes / -std::expm1(-bytes / interval));
}

}  // namespace sparkprof
