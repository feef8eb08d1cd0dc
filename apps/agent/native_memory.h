// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/stack_tables.h"
#include "segment_writer.h"

namespace sparkprof {

// Native memory that was sampled when it was allocated, until it is freed. The sampler reports every release, of
// sampled memory or not. A release becomes a row of the event kFree with the thread, task and stack of the allocation
// and its weight, so that allocations less releases are what is in use. Lives as long as the JVM; a chunk has its own
// tables, so that stacks are copied.
class NativeMemory {
 public:
  // Calls of a chunk come in any order. `row` is what the allocation became, with ids of the chunk's batch.
  void Allocated(int64_t ticks, uint64_t address, const SegmentSample& row) {
    calls_.push_back({ticks, address, false, row});
  }
  // `bucket` of the release.
  void Freed(int64_t ticks, uint64_t address, int64_t bucket) {
    calls_.push_back({ticks, address, true, {.bucket = bucket}});
  }

  // At the end of a chunk: adds the rows of its releases to its batch.
  void AddReleases(SampleBatch* batch);

  // Allocations beyond kMax at once, which are not followed: they have no release.
  int64_t Dropped() const { return dropped_; }

  static constexpr size_t kMax = size_t{1} << 20;

 private:
  struct Call {
    int64_t ticks = 0;
    uint64_t address = 0;
    bool frees = false;
    SegmentSample row;
  };
  struct Allocation {
    int64_t ticks = 0;
    SegmentSample row;    // its stack is one of `kept_`
    Thread thread;        // the name is a string of `kept_`
    bool is_new = false;  // of the chunk at hand: the stack and the thread are the batch's
    // The address was taken again before its release was reported, which happens after the release itself.
    bool awaits_release = false;
  };

  std::vector<Call> calls_;
  std::unordered_map<uint64_t, Allocation> live_;
  StackTables kept_;
  int64_t dropped_ = 0;
};

}  // namespace sparkprof
