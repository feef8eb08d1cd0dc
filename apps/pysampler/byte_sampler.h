// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace sparkprof {

// Chooses the allocations to sample. Each allocation smaller than the interval is chosen with the probability
// p = 1 − e^(−size/interval), because sampled bytes are a random distance apart, the interval on average. It weighs
// size/p, so that sums are those of all allocations, on average, for any mix of sizes. Larger allocations are always
// chosen and weigh their size.
//
// The interval doubles while samples cost more than a share of one core, and returns when they cost less. Half a
// second of that share may be saved up, so that a burst of allocations is sampled at the finest interval; more would
// fill the ring before the agent reads it.
class ByteSampler {
 public:
  // `budget_ns`: what samples may cost per second.
  ByteSampler(int64_t interval_bytes, int64_t budget_ns, uint64_t seed);

  // The interval by which this allocation is chosen, for Weigh; 0 = it is not chosen. For any thread.
  uint64_t Choose(uint64_t bytes) {
    const uint64_t interval = interval_.load(std::memory_order_relaxed);
    if (bytes >= interval) return interval;
    const auto size = static_cast<int64_t>(bytes);
    return IsSampled(left_.fetch_sub(size, std::memory_order_relaxed), size) ? interval : 0;
  }
  // The same as Choose, several times cheaper, for threads that hold the GIL. A rare call of Choose at the same time is
  // not counted.
  uint64_t ChooseWithGil(uint64_t bytes) {
    const uint64_t interval = interval_.load(std::memory_order_relaxed);
    if (bytes >= interval) return interval;
    const auto size = static_cast<int64_t>(bytes);
    const int64_t before = left_.load(std::memory_order_relaxed);
    left_.store(before - size, std::memory_order_relaxed);
    return IsSampled(before, size) ? interval : 0;
  }

  // The bytes that a chosen allocation represents; draws the next sampled byte. Like the rest, for one thread at a
  // time.
  int64_t Weigh(uint64_t bytes, uint64_t interval);

  // Adds the time that a sample took.
  void AddCost(int64_t now_ns, int64_t cost_ns);

  // Doubles the interval for each sixteenth of the ring that is full beyond its half: what does not fit is lost.
  void FollowRing(int free_sixteenths);

  uint64_t interval() const { return interval_.load(std::memory_order_relaxed); }

 private:
  static constexpr int kHalfFull = 8;

  // Only the allocation that contains the sampled byte; others may follow before the next byte is drawn.
  static bool IsSampled(int64_t before, int64_t size) { return before > 0 && before <= size; }
  void Draw();
  // Two hundred milliseconds of the budget.
  int64_t Step() const { return std::max<int64_t>(budget_ns_ / 5, 1); }
  void Double();

  const uint64_t shortest_;
  const int64_t budget_ns_;  // per second
  std::atomic<uint64_t> interval_;
  std::atomic<int64_t> left_{0};  // bytes until the sampled byte; 0 or less = not drawn yet
  uint64_t random_;
  int lowest_free_ = kHalfFull;  // sixteenths of the ring at the last doubling
  int64_t last_ns_ = 0;          // time of the last sample; 0 = there was none
  int64_t credit_ns_;            // share left for samples; negative = overspent
  int64_t changed_at_ns_;        // the credit at the last change of the interval
};

}  // namespace sparkprof
