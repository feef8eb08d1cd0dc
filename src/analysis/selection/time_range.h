// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/application.h"

namespace sparkprof {

struct TimeRange {
  int64_t start_ns = 0;  // since the Unix epoch
  int64_t end_ns = 0;

  int64_t Duration() const { return end_ns - start_ns; }
};

// The range from the application's start to its end. If Spark's times are missing, uses those of jobs, tasks, series
// and samples. Both are 0 for an application without any times.
TimeRange RangeOf(const Application& application);

// The time of a sample, or the start of its bucket, in ns since the start of `range`. 0 for earlier samples and those
// without a time.
inline int64_t SinceStart(const TimeRange& range, const Sample& sample) {
  return sample.time_ns <= range.start_ns ? 0 : sample.time_ns - range.start_ns;
}

}  // namespace sparkprof
