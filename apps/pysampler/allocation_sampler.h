// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "byte_sampler.h"
#include "code_table.h"
#include "cpython/ring/ring_writer.h"
#include "cpython/stack_walker.h"
#include "live_blocks.h"
#include "own_python.h"

namespace sparkprof {

// Writes samples of allocations, and the releases of sampled blocks, to a sampler's ring. Its functions run in the
// threads that allocate, with or without the GIL: they call nothing of Python, do not allocate, and wait only for the
// sampler's lock, which is held for microseconds.
class AllocationSampler {
 public:
  // Parts of the sampler that must outlive this; used under `mutex`.
  struct Shared {
    pthread_mutex_t* mutex = nullptr;
    CodeTable* codes = nullptr;
    CodeSink* sink = nullptr;  // for `codes`
    RingWriter* ring = nullptr;
    const int64_t* task = nullptr;  // current TID; -1 = none
  };

  // In mapped memory; lives as long as the process. Fails on a free-threaded Python.
  static Result<AllocationSampler*> Create(const OwnPython& python, int64_t interval_bytes, int64_t budget_ns,
                                           const Shared& shared);

  // Call after a block was allocated.
  void Allocated(const void* block, size_t bytes) {
    if (const uint64_t interval = bytes_.Choose(bytes); interval != 0) Sample(AddressOf(block), bytes, interval);
  }
  // The same for a thread that holds the GIL.
  void AllocatedWithGil(const void* block, size_t bytes) {
    if (const uint64_t interval = bytes_.ChooseWithGil(bytes); interval != 0) Sample(AddressOf(block), bytes, interval);
  }
  // Call before a block is freed.
  void Freeing(const void* block) {
    if (live_.MayHave(AddressOf(block))) End(AddressOf(block));
  }
  // For a block that may be moved: call Begin before, since another thread may get its address at once, and End with
  // the result after it. 0 = the block is not a sampled one.
  uint64_t BeginMove(const void* block) { return live_.MayHave(AddressOf(block)) ? TakeOut(AddressOf(block)) : 0; }
  // `moved`: whether the old block is gone.
  void EndMove(const void* block, uint64_t number, bool moved) {
    if (number != 0) Finish(AddressOf(block), number, moved);
  }

 private:
  // Memory that the calling thread keeps valid, such as its own stack.
  class OwnedMemory : public PythonMemory {
   public:
    bool Read(uint64_t address, void* bytes, size_t size) override;
  };

  AllocationSampler(const OwnPython& python, int64_t interval_bytes, int64_t budget_ns, const Shared& shared,
                    uint64_t state_function);

  static uint64_t AddressOf(const void* block) { return reinterpret_cast<uint64_t>(block); }
  void Sample(uint64_t address, size_t bytes, uint64_t interval);
  void ReadStack(RingAllocation* allocation);
  void End(uint64_t address);
  uint64_t TakeOut(uint64_t address);
  void Finish(uint64_t address, uint64_t number, bool moved);
  void WriteRelease(uint64_t number);

  const Shared shared_;
  void* (*const state_of_this_thread_)();  // PyGILState_GetThisThreadState
  ByteSampler bytes_;
  OwnedMemory memory_;
  StackWalker walker_;
  uint64_t code_generation_ = 0;
  uint64_t last_number_ = 0;
  RawStack raw_;
  RingFrame frames_[kMaxFrames];
  LiveBlocks live_;
};

}  // namespace sparkprof
