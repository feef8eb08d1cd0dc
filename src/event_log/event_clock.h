// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/time.h"

namespace sparkprof {

// Tracks the time of an event log. Because of a clock change or a concatenated log, events may have times far ahead of
// the following ones. Such events are ignored.
class EventClock {
 public:
  // `time_ns`: time of an event; for a finished task its end, not its start.
  void See(int64_t time_ns) {
    if (time_ns <= 0) return;
    if (last_ns_ > 0 && time_ns > last_ns_ + kFarAhead) {
      ahead_ns_ = std::max(ahead_ns_, time_ns);
      ++ahead_;
      return;
    }
    strayed_ += std::exchange(ahead_, 0);
    ahead_ns_ = 0;
    last_ns_ = std::max(last_ns_, time_ns);
  }

  int64_t Last() const { return std::max(last_ns_, ahead_ns_); }  // since the Unix epoch; 0 = no event had a time
  int64_t Strayed() const { return strayed_; }                    // number of ignored events

 private:
  static constexpr int64_t kFarAhead = 86'400 * kNanosPerSecond;

  int64_t last_ns_ = 0;
  int64_t ahead_ns_ = 0;  // time of the events after `last_ns_`; without a step back, it was a pause
  int64_t ahead_ = 0;
  int64_t strayed_ = 0;
};

}  // namespace sparkprof
