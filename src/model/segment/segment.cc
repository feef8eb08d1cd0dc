// SPDX-License-Identifier: Apache-2.0
#include "model/segment/segment.h"

#include <limits>

#include "base/time.h"

namespace sparkprof {

std::string Source::Identity() const {
  return boot_id + "/" + host + "/" + std::to_string(pid) + "/" + std::to_string(start_ticks) + "/" + application_id +
         "/" + executor_id;
}

ClockAnchor ReadClocks() {
  ClockAnchor best;
  int64_t best_gap = std::numeric_limits<int64_t>::max();
  for (int i = 0; i < 3; ++i) {
    const int64_t before = MonotonicNanos();
    const int64_t epoch = EpochNanos();
    const int64_t gap = MonotonicNanos() - before;
    if (gap < best_gap) {
      best_gap = gap;
      best = {before + gap / 2, epoch};
    }
  }
  return best;
}

int64_t ToEpoch(int64_t monotonic_ns) {
  const ClockAnchor anchor = ReadClocks();
  return monotonic_ns + (anchor.epoch_ns - anchor.monotonic_ns);
}

}  // namespace sparkprof
