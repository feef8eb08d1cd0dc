// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>

namespace sparkprof {

// Weights of JVM TI's allocation samples (JDK 11 and later) that keep the total unbiased. HotSpot draws, for each
// thread, the bytes to its next sample from an exponential distribution whose mean is the sampling interval, so an
// object of `size` bytes is sampled with the probability 1 - exp(-size / interval), and stands for its size divided by
// that. The thread's last draw may be older than the interval in effect. Source: threadHeapSampler.cpp of OpenJDK.
class AllocationWeights {
 public:
  // Sets the interval of all samples that follow.
  void SetInterval(int64_t bytes) { interval_ = bytes; }

  // Returns the weight of one sample of a thread, in bytes.
  int64_t Weight(int64_t tid, int64_t size);

 private:
  int64_t interval_ = 0;
  std::unordered_map<int64_t, int64_t> drawn_;  // thread → the interval of its last draw
};

}  // namespace sparkprof
