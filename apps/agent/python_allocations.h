// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/samples/stack_tables.h"
#include "segment_writer.h"

namespace sparkprof {

// Converts sampled allocations and releases of a JVM's Python processes to rows of the events kPythonAlloc and
// kPythonFree; releases have the thread, task and stack of the allocation. Rows have buckets, in which the order of
// calls is lost. So that allocations minus releases up to the end of a bucket are what was held at the moment when the
// processes together held most within it, the changes after that moment count for the next bucket, except blocks that
// were both allocated and freed after it. Stacks are kept in tables of their own, because each batch has others.
class PythonAllocations {
 public:
  explicit PythonAllocations(int64_t bucket_ns) : bucket_ns_(bucket_ns) {}

  // For the stacks of Allocated.
  StackTables* Tables() { return &tables_; }

  // Times are epoch times. `row` has a stack in Tables() and the weight; its bucket and thread are set here. Returns
  // the block's ID.
  uint64_t Allocated(int64_t time_ns, int64_t pid, int64_t tid, const SegmentSample& row);
  // Each block is released once. A time before the allocation, by another reading of the clocks, counts as that of the
  // allocation.
  void Released(int64_t time_ns, uint64_t block);

  // Adds the rows of buckets that ended by then. Later calls must be in later buckets.
  void AddRows(int64_t until_ns, SampleBatch* batch);

 private:
  struct Call {
    int64_t time_ns = 0;
    uint64_t block = 0;
    bool frees = false;
  };
  struct Block {
    int64_t time_ns = 0;
    int64_t pid = 0;
    int64_t tid = 0;
    SegmentSample row;
  };
  class Output;

  void AddBucket(int64_t bucket, const Call* begin, const Call* end, Output* output);
  const Call* FindPeak(const Call* begin, const Call* end);

  const int64_t bucket_ns_;
  StackTables tables_;
  std::vector<Call> calls_;                     // calls that have no row yet
  std::unordered_map<uint64_t, Block> blocks_;  // blocks whose release has no row yet
  uint64_t last_block_ = 0;
  int64_t held_bytes_ = 0;  // bytes held after the calls that have rows
};

}  // namespace sparkprof
