// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>

#include <cstdint>

#include "base/time.h"

namespace sparkprof {

// CPU time of this process so far, user and system.
inline int64_t CpuNanos() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto nanos = [](const timeval& time) { return time.tv_sec * kNanosPerSecond + time.tv_usec * 1000; };
  return nanos(usage.ru_utime) + nanos(usage.ru_stime);
}

// The most memory that it had so far, mapped pages included.
inline int64_t PeakMebibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

}  // namespace sparkprof
