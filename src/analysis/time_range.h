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

// When the bucket of a sample begins, ns since `range` began. A bucket that began earlier counts as its first.
inline int64_t BucketStart(const Application& application, const TimeRange& range, const Sample& sample) {
  const int64_t start = sample.bucket * application.bucket_ns - range.start_ns;
  return start < 0 ? 0 : start;
}

}  // namespace sparkprof
