// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

#include "model/samples/profile.h"

namespace sparkprof {

// Allocated bytes of samples of two events: allocations, and releases that have the thread, task and stack of the
// allocation.
class SignedBytes {
 public:
  SignedBytes(const Profile& profile, Event allocations, Event releases)
      : allocations_(profile.Row(allocations)), releases_(profile.Row(releases)) {}

  // Negative for a release; 0 = another event.
  int64_t Of(const Sample& sample) const {
    if (sample.event == kNoEvent) return 0;
    if (sample.event == allocations_) return sample.weight;
    return sample.event == releases_ ? -sample.weight : 0;
  }

 private:
  const EventId allocations_, releases_;
};

// Sums allocations minus releases.
class HeldMemory {
 public:
  explicit HeldMemory(const SignedBytes& bytes) : bytes_(bytes) {}

  // Ignores samples of other events.
  void Add(const Sample& sample);

  // Rows of held memory, at the time of the first allocation; excludes releases of memory allocated before the first
  // sample.
  std::vector<Sample> Samples(EventId event) const;

 private:
  struct Held {
    int64_t bytes = 0;
    int64_t count = 0;
    int64_t time_ns = std::numeric_limits<int64_t>::max();  // time of the first allocation
  };
  using HeldKey = std::tuple<uint32_t, uint32_t, StackId, Category>;  // thread, task, stack, category

  const SignedBytes bytes_;
  std::map<HeldKey, Held> held_;
};

}  // namespace sparkprof
