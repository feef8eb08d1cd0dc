// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "code_table.h"
#include "cpython/ring/ring_writer.h"
#include "merged_stack.h"
#include "own_memory.h"
#include "own_python.h"
#include "stack_capture.h"
#include "stack_captures.h"
#include "unwind/loaded_objects.h"
#include "unwind/memory.h"
#include "unwind/stack_unwinder.h"

namespace sparkprof {

// Converts native frames to code IDs, defined in the ring on first use. Fixed size; does not allocate. Not thread-safe.
class NativeCodes {
 public:
  static constexpr size_t kCodes = 8192;
  static constexpr uint32_t kFirst = CodeTable::kCodes;  // IDs below belong to Python functions
  static constexpr size_t kMaxFresh = 512;
  static_assert(kFirst + kCodes <= kRingMaxCodes);

  void Begin() { fresh_ = 0; }
  uint32_t Find(const NativeFrame& frame, RingWriter* ring);
  // ID of the placeholder for unknown frames.
  uint32_t Unknown(RingWriter* ring) { return Find({}, ring); }
  // Keeps or drops the definitions since Begin.
  void End(bool published) {
    if (!published && fresh_ > 0) Clear();
    fresh_ = 0;
  }
  void Clear();
  // Number of Clears; IDs from earlier generations may refer to other code.
  uint32_t Generation() const { return generation_; }
  bool IsFull() const { return used_ + kMaxFresh > kCodes; }

 private:
  uint64_t keys_[kCodes] = {};  // 0 = unused slot; the ID is kFirst plus the slot's position
  size_t used_ = 0;
  size_t fresh_ = 0;
  uint32_t generation_ = 0;
};

// Native stacks of threads of this process, merged with Python's. Fixed size; does not allocate. Used by the sampler's
// thread.
class NativeStacks : private UnwindMemory {
 public:
  // `memory` must outlive this object.
  NativeStacks(const OwnPython& python, OwnMemory* memory)
      : memory_(memory), captures_(python), objects_(this), unwinder_(&objects_, this) {}

  // Call from a Python thread. Returns null, or the reason why native stacks cannot be read.
  const char* Start();
  // Call regularly: updates the loaded libraries.
  void Follow();

  StackCaptures& captures() { return captures_; }
  // Finds the native frames of the captured thread and merges them with the Python frames in `both`.
  void Merge(const StackCapture& captured, BothStacks both, RingWriter* ring, MergedStack* merged);

  // The placeholder for unknown frames.
  RingFrame Unknown(RingWriter* ring) { return {codes_.Unknown(ring), 0}; }

  NativeCodes& codes() { return codes_; }
  const NativeCodes& codes() const { return codes_; }

 private:
  bool ReadTable(uint64_t address, void* bytes, size_t size) override {
    return memory_->ReadOnce(address, bytes, size);
  }
  bool ReadStack(uint64_t address, void* bytes, size_t size) override {
    return captured_->ReadStack(address, bytes, size);
  }
  void Unwind(RingWriter* ring);
  void Add(RingFrame frame, NativeKind kind);
  NativeKind KindOf(const NativeFrame& frame) const;

  OwnMemory* memory_;
  uint32_t follows_ = 0;
  bool misses_object_ = false;  // code of an unknown object was found, which may be new
  uint64_t loop_ = 0;           // start of the interpreter's loop
  uint64_t cold_loop_ = 0;      // start of the loop's cold part, as separated by the compiler; 0 = none
  uint64_t c_library_ = 0;      // an address of the C library
  uint64_t program_ = 0;        // an address of the program, which may embed the interpreter
  StackCaptures captures_;
  const StackCapture* captured_ = nullptr;  // set while it is unwound
  LoadedObjects objects_;
  StackUnwinder unwinder_;
  NativeCodes codes_;
  StackUnwinder::Stack stack_;
  // One extra for the placeholder of missing frames.
  RingFrame frames_[StackUnwinder::kMaxFrames + 1];
  NativeKind kinds_[StackUnwinder::kMaxFrames + 1];
  size_t depth_ = 0;
  bool is_guessed_ = false;
};

}  // namespace sparkprof
