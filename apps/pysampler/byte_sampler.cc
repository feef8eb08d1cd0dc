// SPDX-License-Identifier: Apache-2.0
#include "byte_sampler.h"

#include <algorithm>
#include <cmath>

#include "base/hash_index.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr int64_t kWindowNs = 200'000'000;
constexpr int64_t kLargestCostNs = 20'000;
constexpr uint64_t kSmallestInterval = 1024;
constexpr uint64_t kLargestInterval = uint64_t{1} << 40;

}  // namespace

ByteSampler::ByteSampler(int64_t interval_bytes, int64_t budget_ns, uint64_t seed)
    : shortest_(
          std::clamp(static_cast<uint64_t>(std::max<int64_t>(interval_bytes, 0)), kSmallestInterval, kLargestInterval)),
      budget_ns_(budget_ns / (kNanosPerSecond / kWindowNs)),
      interval_(shortest_),
      random_(MixHash(seed) | 1) {
  Draw();
}

int64_t ByteSampler::Weigh(uint64_t bytes, uint64_t interval) {
  if (bytes >= interval) return static_cast<int64_t>(bytes);
  Draw();
  const auto size = static_cast<double>(bytes);
  return std::llround(size / -std::expm1(-size / static_cast<double>(interval)));
}

void ByteSampler::Draw() {
  // Xorshift, Marsaglia 2003.
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  const double uniform = (static_cast<double>(random_ >> 11) + 0.5) * 0x1.0p-53;  // more than 0, less than 1
  const double distance = -std::log(uniform) * static_cast<double>(interval());
  left_.store(std::max<int64_t>(1, std::llround(distance)), std::memory_order_relaxed);
}

void ByteSampler::AddCost(int64_t now_ns, int64_t cost_ns) {
  const int64_t windows = (now_ns - window_begin_ns_) / kWindowNs;
  if (windows > 0) {
    // Windows without a sample cost nothing.
    int64_t cheap = windows - 1 + (cost_ns_ < budget_ns_ / 4 ? 1 : 0);
    for (; cheap > 0 && interval() > shortest_; --cheap) interval_.store(interval() / 2, std::memory_order_relaxed);
    window_begin_ns_ = now_ns;
    cost_ns_ = 0;
  }
  // A thread that lost its CPU meanwhile did not use it.
  cost_ns_ += std::min(cost_ns, kLargestCostNs);
  if (cost_ns_ <= budget_ns_ || interval() >= kLargestInterval / 2) return;
  interval_.store(interval() * 2, std::memory_order_relaxed);
  window_begin_ns_ = now_ns;
  cost_ns_ = 0;
}

}  // namespace sparkprof
