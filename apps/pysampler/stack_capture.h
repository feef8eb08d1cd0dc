// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstdint>

#include "cpython/stack_walker.h"
#include "own_memory.h"
#include "own_python.h"
#include "unwind/registers.h"

namespace sparkprof {

// Both stacks of one thread of this process at one point in time. Does not allocate and takes no lock.
class StackCapture {
 public:
  explicit StackCapture(const OwnPython& python) : walker_(python.layout, python.runtime, python.code_type, &memory_) {}

  // Call once, before the other functions.
  void Bind() { memory_.BindToThisThread(); }

  // Prepares a capture by the thread itself. `python_state`: state of the thread; 0 = none.
  void Prepare(int32_t tid, uint64_t python_state);
  // Called on the thread, in the signal handler.
  void Capture(const ucontext_t& context);

  // Reads the stacks of a sleeping thread without a signal: only its pc and stack pointer are known. Returns false if
  // it woke up meanwhile, or the kernel does not show where it sleeps.
  bool ReadSleeping(int32_t tid, uint64_t python_state);

  const Registers& registers() const { return registers_; }
  int64_t CpuNs() const { return cpu_ns_; }  // the thread's clock
  uint64_t PythonState() const { return python_state_; }
  WalkResult Walk() const { return walk_; }
  const RawStack& Python() const { return python_; }
  bool ReadStack(uint64_t address, void* bytes, size_t size) const;

 private:
  static constexpr size_t kCopyBytes = 64 << 10;

  void ReadStacks();
  void CopyStack();

  OwnMemory memory_;  // for the reading thread
  StackWalker walker_;
  uint64_t python_state_ = 0;
  Registers registers_;
  int64_t cpu_ns_ = 0;
  WalkResult walk_ = WalkResult::kEmpty;
  RawStack python_;
  uint64_t copy_begin_ = 0;
  size_t copy_size_ = 0;
  alignas(8) char copy_[kCopyBytes];
};

}  // namespace sparkprof
