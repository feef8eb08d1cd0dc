// SPDX-License-Identifier: Apache-2.0
#include "sampling_budget.h"

#include <algorithm>
#include <cmath>

namespace sparkprof {
namespace {

// Shares of the budget, in the order of kBudgetEvents.
constexpr std::array<double, kBudgetEvents.size()> kParts{0.44, 0.3, 0.2, 0.06};

// An interval changes if the cost is above or below these parts of its event's share, and then aims at the target part.
// The wide gap prevents oscillation.
constexpr double kRaiseAbove = 1.1, kRaiseTo = 0.8;
constexpr double kLowerBelow = 0.25, kLowerTo = 0.5;

// Limits the decrease: one quiet window may be followed by a busy one.
constexpr int64_t kMaxLowered = 4;

// Some samples are always taken, such as those of long waits, so a larger factor does not reduce the cost further.
constexpr double kMaxFactor = 1 << 20;

}  // namespace

int64_t NextInterval(int64_t finest, int64_t current, int64_t cost_ns, int64_t allowed_ns) {
  const auto allowed = static_cast<double>(std::max<int64_t>(1, allowed_ns));
  const auto cost = static_cast<double>(std::max<int64_t>(1, cost_ns));
  // Unit: configured intervals.
  const double factor = static_cast<double>(current) / static_cast<double>(finest) * cost / allowed;
  if (cost > kRaiseAbove * allowed) {
    const double raised = std::ceil(factor / kRaiseTo);
    return finest * static_cast<int64_t>(std::min(raised, kMaxFactor));
  }
  if (cost < kLowerBelow * allowed) {
    const double lowered = std::max(1.0, std::floor(factor / kLowerTo));
    return std::min(current, std::max(finest * static_cast<int64_t>(lowered), current / kMaxLowered));
  }
  return current;
}

void SamplingBudget::SetIntervals(const EventNumbers& finest, const EventNumbers& current) {
  finest_ = finest;
  current_ = current;
}

void SamplingBudget::Add(const EventNumbers& cost_ns) {
  for (size_t i = 0; i < cost_ns.size(); ++i) {
    cost_ns_[i] += cost_ns[i];
    total_cost_ns_ += cost_ns[i];
  }
}

std::optional<EventNumbers> SamplingBudget::Next(int64_t monotonic_ns, int64_t jvm_cpu_ns) {
  const int64_t elapsed_ns = monotonic_ns - window_start_ns_;
  if (window_start_ns_ != 0 && elapsed_ns < kWindowNs) return std::nullopt;
  const bool has_window = window_start_ns_ != 0;
  const double cpu_ns =
      std::max(static_cast<double>(jvm_cpu_ns - window_cpu_ns_), kLeastCpuShare * static_cast<double>(elapsed_ns));
  const EventNumbers cost_ns = cost_ns_;
  window_start_ns_ = monotonic_ns;
  window_cpu_ns_ = jvm_cpu_ns;
  cost_ns_ = {};
  if (!has_window) return std::nullopt;
  EventNumbers next = current_;
  for (size_t i = 0; i < next.size(); ++i) {
    if (finest_[i] <= 0 || current_[i] <= 0) continue;
    next[i] = NextInterval(finest_[i], current_[i], cost_ns[i], static_cast<int64_t>(kParts[i] * share_ * cpu_ns));
  }
  return next == current_ ? std::nullopt : std::optional(next);
}

}  // namespace sparkprof
