// SPDX-License-Identifier: Apache-2.0
#include "base/time.h"

#include <time.h>

#include <chrono>
#include <cmath>
#include <cstdio>

namespace sparkprof {
namespace {

int64_t Read(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * kNanosPerSecond + now.tv_nsec;
}

}  // namespace

int64_t EpochNanos() { return Read(CLOCK_REALTIME); }

int64_t MonotonicNanos() { return Read(CLOCK_MONOTONIC); }

std::string FormatTimestamp(int64_t epoch_ns) {
  const int64_t floor_seconds = (epoch_ns - (epoch_ns < 0 ? kNanosPerSecond - 1 : 0)) / kNanosPerSecond;
  const time_t seconds = floor_seconds;
  tm parts;
  gmtime_r(&seconds, &parts);
  char text[80];
  std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", parts.tm_year + 1900, parts.tm_mon + 1,
                parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                static_cast<int>((epoch_ns - floor_seconds * kNanosPerSecond) / kNanosPerMilli));
  return text;
}

std::optional<int64_t> ParseTimestamp(std::string_view text) {
  int year = 0;
  unsigned month = 0, day = 0, hour = 0, minute = 0;
  double second = 0;
  char zone = 0, more = 0;
  const std::string whole(text);
  if (std::sscanf(whole.c_str(), "%4d-%2u-%2uT%2u:%2u:%lf%c%c", &year, &month, &day, &hour, &minute, &second, &zone,
                  &more) != 7) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)};
  const bool is_time = hour < 24 && minute < 60 && second >= 0 && second < 61;
  if (zone != 'Z' || !date.ok() || year < 1970 || year > 2099 || !is_time) return std::nullopt;
  const int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  const int64_t millis = std::llround(second * 1000);
  return (((days * 24 + hour) * 60 + minute) * 60'000 + millis) * kNanosPerMilli;
}

}  // namespace sparkprof
