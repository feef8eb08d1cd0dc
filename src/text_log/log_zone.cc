// SPDX-License-Identifier: Apache-2.0
#include "text_log/log_zone.h"

#include <cctz/civil_time.h>
#include <fmt/format.h>

#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr int64_t kHour = 3600 * kNanosPerSecond;
// Offsets from UTC change only at multiples of 15 minutes.
constexpr int64_t kQuarterHour = kHour / 4;

// "+02:00", "-0330", "+2" as ns ahead of UTC.
std::optional<int64_t> ParseDifference(const std::string& text) {
  constexpr int64_t kMaxHours = 14;
  if (!text.starts_with('+') && !text.starts_with('-')) return std::nullopt;
  std::string digits = text.substr(1);
  if (digits.size() == 5 && digits[2] == ':') digits.erase(2, 1);
  if (digits.empty() || digits.size() > 4 || digits.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  if (digits.size() <= 2) digits += "00";
  const int64_t number = ParseInteger(digits).value_or(0);
  const int64_t hours = number / 100, minutes = number % 100;
  if (hours > kMaxHours || minutes > 59) return std::nullopt;
  return (text[0] == '-' ? -1 : 1) * (hours * kHour + minutes * kHour / 60);
}

}  // namespace

LogZone LogZone::Ahead(int64_t ahead_ns) {
  LogZone zone;
  zone.ahead_ns_ = ahead_ns;
  return zone;
}

Result<LogZone> LogZone::Parse(const std::string& text) {
  if (text.empty() || text == "UTC" || text == "GMT" || text == "Z") return LogZone();
  if (const std::optional<int64_t> ahead_ns = ParseDifference(text)) return Ahead(*ahead_ns);
  LogZone zone;
  cctz::time_zone named;
  // Prefixes of the time zone library ("file:", "libc:") and paths are not zone names.
  const bool is_name = text.find_first_of(":.") == std::string::npos && text[0] != '/';
  if (!is_name || !cctz::load_time_zone(text, &named)) {
    return Fail(fmt::format(
        "unknown time zone '{}'; use UTC, an offset such as +02:00, or an IANA name such as Europe/Berlin (requires "
        "tzdata; set TZDIR if it is not in /usr/share/zoneinfo)",
        text));
  }
  zone.zone_ = named;
  return zone;
}

int64_t LogZone::ToUtc(int64_t local_ns) const {
  if (zone_) {
    const int64_t quarter = local_ns / kQuarterHour;
    if (quarter != quarter_) {
      quarter_ = quarter;
      const int64_t local_s = quarter * (kQuarterHour / kNanosPerSecond);
      const cctz::civil_second civil = cctz::civil_second(1970, 1, 1) + local_s;
      const int64_t utc_s = cctz::convert(civil, *zone_).time_since_epoch().count();
      ahead_ns_ = (local_s - utc_s) * kNanosPerSecond;
    }
  }
  return local_ns - ahead_ns_;
}

}  // namespace sparkprof
