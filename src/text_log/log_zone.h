// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cctz/time_zone.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace sparkprof {

// The zone of times without one; UTC by default. Not thread-safe; copies are.
class LogZone {
 public:
  LogZone() = default;

  // A clock that is always `ahead_ns` ahead of UTC.
  static LogZone Ahead(int64_t ahead_ns);

  // "UTC", "GMT", "Z", a difference to UTC ("+02:00", "-0330", "+2"; up to 14 hours), or a name of the IANA time zone
  // database ("Europe/Berlin", with its summer time), which must be installed.
  static Result<LogZone> Parse(const std::string& text);

  // The moment, ns since the Unix epoch, at which the clock shows `local_ns` (a local time read as if it were UTC). An
  // hour that the clock shows twice is the first of the two.
  int64_t ToUtc(int64_t local_ns) const;

 private:
  std::optional<cctz::time_zone> zone_;
  mutable int64_t ahead_ns_ = 0;
  mutable int64_t quarter_ = INT64_MIN;  // with zone_: the quarter of an hour, local, that ahead_ns_ is of
};

}  // namespace sparkprof
