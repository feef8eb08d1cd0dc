// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "text_log/log_time.h"
#include "text_log/log_zone.h"

namespace sparkprof {

// Adds dates to the times of one log that have none ("11:59:52") and years to those without a year (syslog's "Jan 15
// 11:59:52"): each time is the one closest to the time before it, so that logs may pass midnight and the end of a year.
// The first one is on the day of the log's name, or else the last such time that is not after `latest_ns`. Not
// thread-safe.
class MissingDates {
 public:
  // `latest_ns`: when the log was last written to, ns since the Unix epoch; 0 = unknown, and dates without another
  // time before them count from the epoch. `zone`: of times without one. `name_ns`: see DayOfName.
  MissingDates(const LogZone& zone, int64_t latest_ns, int64_t name_ns = 0)
      : zone_(zone), latest_ns_(latest_ns), name_ns_(name_ns) {}

  // The moment, ns since the Unix epoch.
  int64_t ToUtc(const LogTime& time);

  // "the date in its name", if a date is from there; empty = none is assumed.
  std::string_view Assumed() const { return assumed_; }

 private:
  LogZone zone_;
  int64_t latest_ns_;
  int64_t name_ns_;
  int64_t last_ns_ = 0;
  std::string_view assumed_;
};

// The start of the last day that a path names, as in "log4j-2026-11-28-07.log.gz" and "logs/20261128/driver.log", in
// the log's own zone; 0 = none.
int64_t DayOfName(std::string_view path);

}  // namespace sparkprof
