// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "analysis/owners/resources.h"

namespace sparkprof {
namespace {

constexpr double kHeapMargin = 1.3;  // factor on the peak: the next run's data differ
constexpr double kTimesLive = 2,
                 kBesideLive = 300.0 * (1 << 20);  // factor on live data, and memory that Spark keeps free
constexpr int64_t kStep = int64_t{256} << 20, kLargeStep = int64_t{1} << 30;
constexpr int64_t kLarge = int64_t{8} << 30;
constexpr int64_t kLeastHeap = int64_t{1} << 30;  // Spark's default; it rejects less than 450 MiB

// Below its peak, a heap has twice the live data, and is not collected so much more often that tasks become noticeably
// slower.
double WantedHeap(const Resources& use) {
  const double by_peak = static_cast<double>(use.peak_heap_bytes) * kHeapMargin;
  if (use.live_heap_bytes == 0) return by_peak;
  const double by_live = static_cast<double>(use.live_heap_bytes) * kTimesLive + kBesideLive;
  // GC time grows as the heap shrinks.
  const double by_gc = static_cast<double>(use.heap_bytes) * use.gc_share / (use.gc_share + (kMaxSlowdown - 1));
  return std::min(by_peak, std::max(by_live, by_gc));
}

}  // namespace

int64_t SmallerHeap(const Resources& use) {
  if (use.heap_bytes == 0 || use.peak_heap_bytes == 0 || use.spilled_bytes > 0 || use.gc_share >= kMuchGc) return 0;
  const int64_t wanted = std::max(kLeastHeap, RoundedMemory(WantedHeap(use)));
  return static_cast<double>(wanted) > kWorthChanging * static_cast<double>(use.heap_bytes) ? 0 : wanted;
}

int64_t RoundedMemory(double bytes) {
  const int64_t step = bytes > static_cast<double>(kLarge) ? kLargeStep : kStep;
  return (static_cast<int64_t>(bytes) + step - 1) / step * step;
}

std::string MemoryText(int64_t bytes) {
  return bytes % (int64_t{1} << 30) == 0 ? fmt::format("{}g", bytes >> 30) : fmt::format("{}m", bytes >> 20);
}

}  // namespace sparkprof
