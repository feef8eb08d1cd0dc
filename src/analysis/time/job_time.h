// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// Times in which at least one job ran. A job without an end is still running.
class JobTimes {
 public:
  explicit JobTimes(const Application& application);

  // The part of a time (ns since the Unix epoch) in which at least one job ran. Fast even for the thousands of jobs of
  // a stream.
  int64_t Between(int64_t begin_ns, int64_t end_ns) const;

 private:
  std::vector<std::pair<int64_t, int64_t>> spans_;  // disjoint, in order of time
};

}  // namespace sparkprof
