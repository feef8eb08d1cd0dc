// SPDX-License-Identifier: Apache-2.0
#include "base/time.h"

#include <time.h>

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

}  // namespace sparkprof
