// SPDX-License-Identifier: Apache-2.0
#include "text_log/missing_dates.h"

#include <cctz/civil_time.h>

#include <cstdlib>

#include "base/time.h"

namespace sparkprof {
namespace {

constexpr int64_t kDaySeconds = 86'400;
const cctz::civil_second kDateEpoch(1970, 1, 1);

// The moments around `near_s` that have the time's day of the year or time of day; s since the epoch.
int64_t MoveTo(int64_t near_s, int step, MissingDate missing, int64_t time_s) {
  if (missing == MissingDate::kDate) {
    const cctz::civil_day day(kDateEpoch + near_s);
    return (day + step - cctz::civil_day(kDateEpoch)) * kDaySeconds + time_s;
  }
  const cctz::civil_second time = kDateEpoch + time_s;
  const cctz::year_t year = (kDateEpoch + near_s).year() + step;
  return cctz::civil_second(year, time.month(), time.day(), time.hour(), time.minute(), time.second()) - kDateEpoch;
}

}  // namespace

int64_t MissingDates::ToUtc(const LogTime& time) {
  const auto utc = [&](int64_t local_ns) { return time.has_zone ? local_ns : zone_.ToUtc(local_ns); };
  const int64_t near_ns = last_ns_ != 0 ? last_ns_ : latest_ns_;
  int64_t found_ns = utc(time.time_ns);
  if (time.missing != MissingDate::kNone && near_ns > 0) {
    has_assumed_ |= last_ns_ == 0;
    int64_t least_ns = INT64_MAX;
    for (const int step : {-2, -1, 0, 1}) {
      const int64_t time_s = time.time_ns / kNanosPerSecond;
      const int64_t moved_s = MoveTo(near_ns / kNanosPerSecond, step, time.missing, time_s);
      const int64_t moved_ns = utc(time.time_ns + (moved_s - time_s) * kNanosPerSecond);
      if (last_ns_ == 0 && moved_ns > latest_ns_ && step > -2) continue;
      const int64_t away_ns = std::abs(moved_ns - near_ns);
      if (away_ns >= least_ns) continue;
      least_ns = away_ns;
      found_ns = moved_ns;
    }
  }
  last_ns_ = found_ns;
  return found_ns;
}

}  // namespace sparkprof
