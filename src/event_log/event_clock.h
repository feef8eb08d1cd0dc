// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/time.h"

namespace sparkprof {

// The time that an event log has come to, by the times of its events in their order. A clock that was set while an
// application ran, or a log that was put together from several, stamps events far ahead; then those behind them go
// back. Such events do not count.
class EventClock {
 public:
  // The time of an event itself: of a task that ended its end, not its begin.
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
  int64_t Strayed() const { return strayed_; }                    // events that do not count

 private:
  static constexpr int64_t kFarAhead = 86'400 * kNanosPerSecond;

  int64_t last_ns_ = 0;
  int64_t ahead_ns_ = 0;  // of the events since `last_ns_`; where none goes back, time just went on after a pause
  int64_t ahead_ = 0;
  int64_t strayed_ = 0;
};

}  // namespace sparkprof
