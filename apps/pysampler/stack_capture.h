// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <ucontext.h>

#include <cstddef>
#include <cstdint>

#include "cpython/stack_walker.h"
#include "own_memory.h"
#include "own_python.h"
#include "unwind/registers.h"

namespace sparkprof {

// Both stacks of one thread of this process at one point in time, read by that thread itself in the handler of a
// signal. The signal is one that the process does not use and that is ignored by default; if the process begins to use
// it, nothing is captured any more. Handler and sampler do not allocate and take no lock.
//
// System calls that the kernel does not restart (poll, epoll_wait, nanosleep) may end early with EINTR, as with any
// profiler that uses signals; therefore callers ask only threads that run.
//
// One per process, used by one thread: Ask, then Await until the answer is there, then read it before the next Ask.
class StackCapture {
 public:
  explicit StackCapture(const OwnPython& python) : walker_(python.layout, python.runtime, python.code_type, &memory_) {}

  // False if there is no free signal.
  bool Install();

  // Whether the process now uses the signal itself.
  bool IsLost() const { return is_lost_; }

  // `python_state`: of the thread, 0 = it has none. False if it cannot be asked. Only while IsIdle().
  bool Ask(int32_t tid, uint64_t python_state);
  bool IsIdle() const { return tid_ == 0; }
  int32_t AskedTid() const { return tid_; }
  // True once the answer is there; waits for at most `most_ns`. A thread answers when it gets a CPU.
  bool Await(int64_t most_ns);
  // Ends the use of the answer, or no longer waits for it.
  void End();

  // Reads the stacks of a thread that sleeps, without a signal: of its registers only pc and stack pointer are known.
  // False if it woke up meanwhile, or the kernel does not say where it sleeps. Only while IsIdle(); the answer is there
  // until the next Ask, without End.
  bool ReadSleeping(int32_t tid, uint64_t python_state);

  // The answer.
  const Registers& registers() const { return registers_; }
  int64_t CpuNs() const { return cpu_ns_; }  // the thread's clock
  WalkResult Walk() const { return walk_; }
  const RawStack& Python() const { return python_; }
  bool ReadStack(uint64_t address, void* bytes, size_t size) const;

 private:
  static constexpr size_t kCopyBytes = 64 << 10;

  static void OnSignal(int signal, siginfo_t* info, void* context);
  void Capture(const ucontext_t& context);
  void ReadStacks();
  void CopyStack();

  OwnMemory memory_;  // for the thread that was asked
  StackWalker walker_;
  int signal_ = 0;
  bool is_lost_ = false;
  uint32_t turn_ = 0;
  int32_t tid_ = 0;
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
