// SPDX-License-Identifier: Apache-2.0
#include "own_budget.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "capture/proc.h"

namespace sparkprof {

bool OwnBudget::Update(int64_t monotonic_ns, int64_t cpu_ns) {
  if (window_start_ns_ == 0) {
    window_start_ns_ = monotonic_ns;
    window_cpu_ns_ = cpu_ns;
    return false;
  }
  const int64_t elapsed_ns = monotonic_ns - window_start_ns_;
  if (elapsed_ns < kWindowNs) return false;
  used_share_ = static_cast<double>(cpu_ns - window_cpu_ns_) / static_cast<double>(elapsed_ns);
  window_start_ns_ = monotonic_ns;
  window_cpu_ns_ = cpu_ns;
  constexpr double kBudgetShare = static_cast<double>(kBudgetNs) / static_cast<double>(kWindowNs);
  const int64_t before = interval_ns_;
  if (used_share_ > kBudgetShare) interval_ns_ = std::min(interval_ns_ * 2, kLongestIntervalNs);
  if (used_share_ < kBudgetShare / 2) interval_ns_ = std::max(interval_ns_ / 2, kShortestIntervalNs);
  return interval_ns_ != before;
}

int64_t OwnCpuNanos() {
  rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  const int64_t seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec;
  const int64_t micros = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
  return seconds * kNanosPerSecond + micros * 1000;
}

int64_t OwnRssBytes() {
  const auto stat = ReadProcessStat(getpid());
  return stat ? stat->rss_pages * sysconf(_SC_PAGESIZE) : 0;
}

}  // namespace sparkprof
