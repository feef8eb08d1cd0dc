// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sparkprof {

// The bucket of a time; rounds down, also before the epoch.
inline int64_t BucketAt(int64_t time_ns, int64_t bucket_ns) {
  return time_ns / bucket_ns - (time_ns % bucket_ns < 0 ? 1 : 0);
}

}  // namespace sparkprof
