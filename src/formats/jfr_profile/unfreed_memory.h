// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "formats/jfr/jfr_reader.h"
#include "model/profile.h"

namespace sparkprof {

// Native memory that was asked for and never freed: what async-profiler's nativemem records of malloc and free, matched
// by address. Memory goes with their number.
class UnfreedMemory {
 public:
  struct Allocation {
    Sample sample;
    int64_t tid = 0;
  };

  // A kMalloc or kFree, in any order; `sample` is what becomes of it.
  void Add(const JfrSample& jfr, const Sample& sample);

  // Those that were not freed, by time. What was asked for in the last `tail` of the time (0.1 = a tenth) is left out:
  // it may just not have been freed yet.
  std::vector<Allocation> Take(double tail);

 private:
  struct Call {
    int64_t time_ns = 0;
    uint64_t address = 0;
    bool frees = false;
    Allocation allocation;
  };

  std::vector<Call> calls_;
};

}  // namespace sparkprof
