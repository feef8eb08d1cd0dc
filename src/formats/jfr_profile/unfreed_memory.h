// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "formats/jfr/jfr_reader.h"
#include "model/profile.h"

namespace sparkprof {

// Native memory that was never freed: async-profiler's malloc and free events, matched by address. Needs memory in
// proportion to their number.
class UnfreedMemory {
 public:
  struct Allocation {
    Sample sample;
    int64_t tid = 0;
  };

  // A kMalloc or kFree, in any order; `sample` is what becomes of it.
  void Add(const JfrSample& jfr, const Sample& sample);

  // Unfreed allocations in order of time, without those in the last `tail` of the time (0.1 = a tenth), which may still
  // be freed.
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
