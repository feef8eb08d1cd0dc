// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>

namespace sparkprof {

// Weights of JVM TI's allocation samples (JDK 11 and later) that keep the total unbiased. HotSpot draws, for each
// thread, the bytes to its next sample from an exponential distribution whose mean is the sampling interval. An object
// of `size` bytes is thus sampled with the probability 1 - exp(-size / interval), and its weight is its size divided by
// that. The thread's last draw may predate the current interval. Source: threadHeapSampler.cpp of OpenJDK.
class AllocationWeights {
 public:
  // Sets the interval for all further samples.
  void SetInterval(int64_t bytes) { interval_ = bytes; }

  // Returns the weight of one sample of a thread, in bytes.
  int64_t Weight(int64_t tid, int64_t size);

 private:
  int64_t interval_ = 0;
  std::unordered_map<int64_t, int64_t> drawn_;  // interval of the last draw by thread
};

}  // namespace sparkprof
