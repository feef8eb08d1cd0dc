// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/time.h"
#include "model/samples/sample.h"

namespace sparkprof {

// Events with an interval, in the order of the frame INTERVALS.
inline constexpr std::array kBudgetEvents{Event::kCpu, Event::kWall, Event::kAlloc, Event::kLock};

// A number per event of kBudgetEvents: intervals in ns (bytes for kAlloc), 0 = none; or costs in ns.
using EventNumbers = std::array<int64_t, kBudgetEvents.size()>;

// Position in kBudgetEvents; nullopt for other events.
constexpr std::optional<size_t> BudgetPosition(Event event) {
  for (size_t i = 0; i < kBudgetEvents.size(); ++i) {
    if (kBudgetEvents[i] == event) return i;
  }
  return std::nullopt;
}

// Sets the sampling intervals of one JVM, so that its samples cost at most a share of its CPU time, or of one core if
// it uses less: 44% of the share for cpu, 30% for wall, 20% for alloc, 6% for lock. An interval is a multiple of the
// configured one. It grows as soon as the cost exceeds the event's share, and shrinks if the cost is below a quarter of
// that, which prevents oscillation.
class SamplingBudget {
 public:
  // The setting samples.budget, 0 to 1.
  void SetShare(double share) { share_ = share; }

  // Minimum CPU usage on which the budget is based, in cores: an idle JVM is sampled, too.
  static constexpr double kLeastCpuShare = 1;
  // Minimum time between two decisions.
  static constexpr int64_t kWindowNs = kNanosPerSecond;

  // `finest`: configured intervals, 0 if the user has fixed one. `current`: intervals in effect.
  void SetIntervals(const EventNumbers& finest, const EventNumbers& current);

  void Add(const EventNumbers& cost_ns);

  // New intervals, if they differ from those in effect. `jvm_cpu_ns` is the JVM's CPU time so far.
  std::optional<EventNumbers> Next(int64_t monotonic_ns, int64_t jvm_cpu_ns);

  int64_t TotalCostNs() const { return total_cost_ns_; }

 private:
  double share_ = 0.005;
  EventNumbers finest_{};
  EventNumbers current_{};
  EventNumbers cost_ns_{};  // cost in this window
  int64_t total_cost_ns_ = 0;
  int64_t window_start_ns_ = 0;  // 0 = no window
  int64_t window_cpu_ns_ = 0;
};

// An event's next interval, based on the actual and the allowed cost of its samples.
int64_t NextInterval(int64_t finest, int64_t current, int64_t cost_ns, int64_t allowed_ns);

}  // namespace sparkprof
