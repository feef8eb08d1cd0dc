// SPDX-License-Identifier: Apache-2.0
#include "text_log/given_time.h"

#include <cctz/civil_time.h>
#include <cctz/time_zone.h>
#include <fmt/format.h>

#include <chrono>
#include <string>

#include "base/text/quantity.h"
#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

// Smaller numbers are seconds of a duration.
constexpr int64_t kFirstEpochSeconds = 1'500'000'000;  // July 2017

std::optional<LogTime> ParseDate(std::string_view text) {
  // Completes a minute, and a day.
  for (const char* const rest : {"", ":00", " 00:00:00"}) {
    const std::string whole = fmt::format("{}{}", text, rest);
    const LogTime time = LogTimeParser().Parse(whole);
    if (time.size > 0 && time.size == whole.size()) return time;
  }
  // "2026-11-25T10:00+02:00"
  const size_t zone = text.find_last_of("+-Z");
  if (zone == std::string_view::npos || text.find(':') > zone) return std::nullopt;
  const std::string whole = fmt::format("{}:00{}", text.substr(0, zone), text.substr(zone));
  const LogTime time = LogTimeParser().Parse(whole);
  return time.size == whole.size() ? std::optional(time) : std::nullopt;
}

}  // namespace

int64_t GivenTime::ToUtc() const {
  if (time.has_zone) return time.time_ns;
  const auto civil = cctz::civil_second(1970, 1, 1) + time.time_ns / kNanosPerSecond;
  const auto local = cctz::convert(civil, cctz::local_time_zone());
  return std::chrono::duration_cast<std::chrono::nanoseconds>(local.time_since_epoch()).count() +
         time.time_ns % kNanosPerSecond;
}

Result<GivenTime> ParseGivenTime(std::string_view option, std::string_view text, bool takes_time_of_day) {
  if (const std::optional<int64_t> number = ParseInteger(text); number && *number >= kFirstEpochSeconds) {
    const bool is_millis = *number >= kFirstEpochSeconds * 1000;
    const int64_t unit_ns = is_millis ? kNanosPerMilli : kNanosPerSecond;
    if (*number < INT64_MAX / unit_ns)
      return GivenTime{{}, {.size = text.size(), .time_ns = *number * unit_ns, .has_zone = true}};
  }
  if (const Result<int64_t> duration_ns = ParseDurationOrSeconds(text)) return GivenTime{*duration_ns, {}};
  const std::optional<LogTime> date = ParseDate(text);
  if (date && (takes_time_of_day || date->missing == MissingDate::kNone)) return GivenTime{{}, *date};
  return Fail(
      fmt::format("{}: invalid time '{}'; use 2h, 2026-11-25, 2026-11-25T10:00+02:00 or milliseconds since the epoch",
                  option, text));
}

}  // namespace sparkprof
