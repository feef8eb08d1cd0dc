// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "text_log/log_time.h"
#include "text_log/log_zone.h"

namespace sparkprof {

// Adds dates to the times of one log that have none ("11:59:52") and years to those without a year (syslog's "Jan 15
// 11:59:52"): each time is the one closest to the time before it, so that logs may pass midnight and the end of a year.
// The first one is the last such time that is not after `latest_ns`. Not thread-safe.
class MissingDates {
 public:
  // `latest_ns`: when the log was last written to, ns since the Unix epoch; 0 = unknown, and dates without another
  // time before them count from the epoch. `zone`: of times without one.
  MissingDates(const LogZone& zone, int64_t latest_ns) : zone_(zone), latest_ns_(latest_ns) {}

  // The moment, ns since the Unix epoch.
  int64_t ToUtc(const LogTime& time);

  bool HasAssumed() const { return has_assumed_; }  // a date by `latest_ns`

 private:
  LogZone zone_;
  int64_t latest_ns_;
  int64_t last_ns_ = 0;
  bool has_assumed_ = false;
};

}  // namespace sparkprof
