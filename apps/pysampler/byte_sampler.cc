// SPDX-License-Identifier: Apache-2.0
#include "byte_sampler.h"

#include <algorithm>
#include <cmath>

#include "base/hash_index.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr int64_t kLargestCostNs = 20'000;
constexpr uint64_t kSmallestInterval = 1024;
constexpr uint64_t kLargestInterval = uint64_t{1} << 40;

// The part of a budget per second that may be saved up.
int64_t SavedOf(int64_t budget_ns) { return budget_ns / 2; }

}  // namespace

ByteSampler::ByteSampler(int64_t interval_bytes, int64_t budget_ns, uint64_t seed)
    : shortest_(
          std::clamp(static_cast<uint64_t>(std::max<int64_t>(interval_bytes, 0)), kSmallestInterval, kLargestInterval)),
      budget_ns_(budget_ns),
      interval_(shortest_),
      random_(MixHash(seed) | 1),
      credit_ns_(SavedOf(budget_ns)),
      changed_at_ns_(credit_ns_) {
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
  const int64_t most = SavedOf(budget_ns_);
  const double earned = last_ns_ == 0 ? 0 : static_cast<double>(now_ns - last_ns_) / kNanosPerSecond;
  last_ns_ = now_ns;
  credit_ns_ = static_cast<int64_t>(
      std::min(static_cast<double>(credit_ns_) + earned * static_cast<double>(budget_ns_), static_cast<double>(most)));
  const int64_t step = Step();
  // With a step saved, a shorter interval may be affordable.
  for (; credit_ns_ >= changed_at_ns_ + step && interval() > shortest_; changed_at_ns_ += step) {
    interval_.store(interval() / 2, std::memory_order_relaxed);
  }
  // A thread that lost its CPU meanwhile did not use it.
  credit_ns_ -= std::min(cost_ns, kLargestCostNs);
  // Within the debt of one step, the last change may not have taken effect yet.
  const bool is_debt_new = interval() > shortest_ && credit_ns_ > changed_at_ns_ - step;
  if (credit_ns_ < 0 && !is_debt_new) Double();
}

void ByteSampler::FollowRing(int free_sixteenths) {
  if (free_sixteenths < lowest_free_) {
    credit_ns_ = std::min<int64_t>(credit_ns_, 0) - Step();
    Double();
  }
  lowest_free_ = free_sixteenths < kHalfFull ? std::min(lowest_free_, free_sixteenths) : kHalfFull;
}

void ByteSampler::Double() {
  if (interval() < kLargestInterval / 2) interval_.store(interval() * 2, std::memory_order_relaxed);
  changed_at_ns_ = credit_ns_;
}

}  // namespace sparkprof
