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

// From the application's start to its end. Where Spark's own times are missing, those of jobs, tasks, series and
// samples take their place. Both are 0 for an application that has no times at all.
TimeRange RangeOf(const Application& application);

// When a sample was taken, or its bucket begins: ns since `range` began. Earlier ones and those without a time count as
// the first.
inline int64_t SinceStart(const TimeRange& range, const Sample& sample) {
  return sample.time_ns <= range.start_ns ? 0 : sample.time_ns - range.start_ns;
}

}  // namespace sparkprof
