// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/samples/stack_tables.h"
#include "segment_writer.h"

namespace sparkprof {

// Tracks sampled native allocations until they are freed. The sampler reports every release, of sampled memory or not.
// A release becomes a row of the event kFree with the thread, task, stack and weight of the allocation, so that
// allocations minus releases are the memory in use. Lives as long as the JVM; stacks are copied because each chunk has
// its own tables.
class NativeMemory {
 public:
  // Calls of a chunk may be in any order. `row` is the row of the allocation, with IDs of the chunk's batch.
  void Allocated(int64_t ticks, uint64_t address, const SegmentSample& row) {
    calls_.push_back({ticks, address, false, row});
  }
  // `bucket`: bucket of the release.
  void Freed(int64_t ticks, uint64_t address, int64_t bucket) {
    calls_.push_back({ticks, address, true, {.bucket = bucket}});
  }

  // Call at the end of a chunk: adds the rows of its releases to its batch.
  void AddReleases(SampleBatch* batch);

  // Number of untracked allocations beyond kMax, which get no release.
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
    SegmentSample row;    // its stack is in `kept_`
    Thread thread;        // its name is in `kept_`
    bool is_new = false;  // from the current chunk: stack and thread are in the batch
    // The address was reused before its release was reported, which happens after the release itself.
    bool awaits_release = false;
  };

  std::vector<Call> calls_;
  std::unordered_map<uint64_t, Allocation> live_;
  StackTables kept_;
  int64_t dropped_ = 0;
};

}  // namespace sparkprof
