// SPDX-License-Identifier: Apache-2.0
#include "stack_capture.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "own_threads.h"

namespace sparkprof {
namespace {

constexpr uint64_t kPageBytes = 4096;
// Leaf functions also use memory below the stack pointer.
constexpr uint64_t kRedZone = 128;

void CopyRegisters(const ucontext_t& context, Registers* registers) {
  registers->known = 0;
#if defined(__aarch64__)
  for (int i = 0; i < 31; ++i) registers->Set(i, context.uc_mcontext.regs[i]);
  registers->Set(kStackPointer, context.uc_mcontext.sp);
  registers->pc = context.uc_mcontext.pc;
#else
  constexpr int kByNumber[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
                               REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  for (int i = 0; i < 16; ++i) registers->Set(i, static_cast<uint64_t>(context.uc_mcontext.gregs[kByNumber[i]]));
  registers->pc = static_cast<uint64_t>(context.uc_mcontext.gregs[REG_RIP]);
#endif
}

}  // namespace

void StackCapture::Prepare(int32_t tid, uint64_t python_state) {
  python_state_ = python_state;
  memory_.MoveTo(tid);
}

void StackCapture::Capture(const ucontext_t& context) {
  CopyRegisters(context, &registers_);
  cpu_ns_ = ClockNanos(CLOCK_THREAD_CPUTIME_ID);
  ReadStacks();
}

void StackCapture::ReadStacks() {
  memory_.BeginSample();
  walk_ = python_state_ == 0 ? WalkResult::kEmpty : walker_.Walk(python_state_, &python_);
  CopyStack();
}

// Copies pages up to the first unreadable one, which is the end of the stack.
void StackCapture::CopyStack() {
  copy_begin_ = (registers_.values[kStackPointer] - kRedZone) & ~uint64_t{7};
  copy_size_ = 0;
  while (copy_size_ < kCopyBytes) {
    const uint64_t address = copy_begin_ + copy_size_;
    const size_t size = std::min<uint64_t>(kPageBytes - address % kPageBytes, kCopyBytes - copy_size_);
    if (!memory_.ReadOnce(address, copy_ + copy_size_, size)) break;
    copy_size_ += size;
  }
}

bool StackCapture::ReadStack(uint64_t address, void* bytes, size_t size) const {
  const uint64_t offset = address - copy_begin_;
  if (offset > copy_size_ || size > copy_size_ - offset) return false;
  std::memcpy(bytes, copy_ + offset, size);
  return true;
}

bool StackCapture::ReadSleeping(int32_t tid, uint64_t python_state) {
  SleepPlace place;
  const int64_t before_ns = ClockNanos(ClockOfThread(tid));
  if (!ReadSleepPlace(tid, &place)) return false;
  Prepare(static_cast<int32_t>(syscall(SYS_gettid)), python_state);
  registers_.known = 0;
  registers_.pc = place.pc;
  registers_.Set(kStackPointer, place.stack_pointer);
  cpu_ns_ = before_ns;
  ReadStacks();
  // A thread that did not run has the same stacks.
  return ClockNanos(ClockOfThread(tid)) == before_ns;
}

}  // namespace sparkprof
