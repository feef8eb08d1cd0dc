// SPDX-License-Identifier: Apache-2.0
#include "text_log/missing_dates.h"

#include <cctz/civil_time.h>

#include <cstdlib>
#include <string>

#include "base/text/characters.h"
#include "base/time.h"

namespace sparkprof {
namespace {

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
  const bool is_first = last_ns_ == 0, is_by_name = is_first && name_ns_ > 0;
  const int64_t near_ns = is_by_name ? name_ns_ : is_first ? latest_ns_ : last_ns_;
  int64_t found_ns = utc(time.time_ns);
  if (time.missing != MissingDate::kNone && near_ns > 0) {
    if (is_first) assumed_ = is_by_name ? "the date in its name" : "the date of the file's last change";
    int64_t least_ns = INT64_MAX;
    for (const int step : {-2, -1, 0, 1}) {
      if (is_by_name && time.missing == MissingDate::kDate && step != 0) continue;
      const int64_t time_s = time.time_ns / kNanosPerSecond;
      const int64_t moved_s = MoveTo(near_ns / kNanosPerSecond, step, time.missing, time_s);
      const int64_t moved_ns = utc(time.time_ns + (moved_s - time_s) * kNanosPerSecond);
      if (is_first && !is_by_name && moved_ns > latest_ns_ && step > -2) continue;
      const int64_t away_ns = std::abs(moved_ns - near_ns);
      if (away_ns >= least_ns) continue;
      least_ns = away_ns;
      found_ns = moved_ns;
    }
  }
  last_ns_ = found_ns;
  return found_ns;
}

int64_t DayOfName(std::string_view path) {
  int64_t found_ns = 0;
  for (size_t at = 0; at < path.size(); ++at) {
    if (!IsDigit(path[at]) || (at > 0 && IsAlnum(path[at - 1]))) continue;
    std::string digits;
    for (const char c : path.substr(at, sizeof "2026-11-28" - 1)) {
      if (IsDigit(c)) digits += c;
      const bool may_separate = digits.size() == 4 || digits.size() == 6;
      if (!IsDigit(c) && (!may_separate || std::string_view("-_./").find(c) == std::string_view::npos)) break;
      if (digits.size() == 8) break;
    }
    const size_t end = path.find_first_not_of("0123456789", at);
    const bool is_number = end == std::string_view::npos ? path.size() - at > 8 : end - at > 8;
    const LogTime day = LogTimeParser().Parse(digits + " 00:00:00");
    if (digits.size() == 8 && digits.starts_with("20") && day.size > 0 && !is_number) found_ns = day.time_ns;
  }
  return found_ns;
}

}  // namespace sparkprof
