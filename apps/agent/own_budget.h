// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/time.h"

namespace sparkprof {

// Keeps the agent's CPU time below 1% of a core: checks it every 10 s, stretches the metrics interval up to 10 s, and
// shortens it again if less than half of the budget is used.
class OwnBudget {
 public:
  static constexpr int64_t kWindowNs = 10 * kNanosPerSecond;
  static constexpr int64_t kBudgetNs = kWindowNs / 100;
  static constexpr int64_t kShortestIntervalNs = kNanosPerSecond;
  static constexpr int64_t kLongestIntervalNs = 10 * kNanosPerSecond;

  // Returns whether the interval has changed.
  bool Update(int64_t monotonic_ns, int64_t cpu_ns);

  int64_t IntervalNs() const { return interval_ns_; }
  double UsedShare() const { return used_share_; }  // share of a core in the last complete window

 private:
  int64_t window_start_ns_ = 0;
  int64_t window_cpu_ns_ = 0;
  int64_t interval_ns_ = kShortestIntervalNs;
  double used_share_ = 0;
};

// CPU time of this process so far, user and system.
int64_t OwnCpuNanos();
int64_t OwnRssBytes();

}  // namespace sparkprof
