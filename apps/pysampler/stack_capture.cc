// SPDX-License-Identifier: Apache-2.0
#include "stack_capture.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "own_threads.h"

namespace sparkprof {
namespace {

constexpr uint64_t kPageBytes = 4096;
// Below the stack pointer, functions that call no others use it as well.
constexpr uint64_t kRedZone = 128;
constexpr int64_t kSecondNs = 1'000'000'000;
constexpr int64_t kCaptureWaitNs = 1'000'000;

// The phase of a turn, in the lowest bits of the state.
enum Phase : uint32_t { kIdle = 0, kAsked = 1, kCapturing = 2, kDone = 3 };
constexpr uint32_t kPhaseBits = 2;

uint32_t StateOf(uint32_t turn, Phase phase) { return turn << kPhaseBits | phase; }

// Global, because the handler has nothing else. Not thread-local memory, which may be allocated on first use.
std::atomic<uint32_t> capture_state{0};
std::atomic<StackCapture*> capture{nullptr};

int64_t ReadClock(clockid_t clock) {
  timespec time{};
  return clock_gettime(clock, &time) == 0 ? time.tv_sec * kSecondNs + time.tv_nsec : -1;
}

void WaitWhile(uint32_t expected, int64_t most_ns) {
  const timespec most{most_ns / kSecondNs, most_ns % kSecondNs};
  syscall(SYS_futex, &capture_state, FUTEX_WAIT_PRIVATE, expected, &most, nullptr, 0);
}

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

// A late call, for a turn that was given up, finds another state.
void StackCapture::OnSignal(int /*signal*/, siginfo_t* info, void* context) {
  if (info->si_code != SI_QUEUE) return;
  const auto turn = static_cast<uint32_t>(info->si_value.sival_int);
  uint32_t expected = StateOf(turn, kAsked);
  if (!capture_state.compare_exchange_strong(expected, StateOf(turn, kCapturing))) return;
  const int before = errno;
  capture.load()->Capture(*static_cast<const ucontext_t*>(context));
  capture_state.store(StateOf(turn, kDone));
  syscall(SYS_futex, &capture_state, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  errno = before;
}

void StackCapture::Capture(const ucontext_t& context) {
  CopyRegisters(context, &registers_);
  cpu_ns_ = ReadClock(CLOCK_THREAD_CPUTIME_ID);
  ReadStacks();
}

void StackCapture::ReadStacks() {
  memory_.BeginSample();
  walk_ = python_state_ == 0 ? WalkResult::kEmpty : walker_.Walk(python_state_, &python_);
  CopyStack();
}

// Pages, up to the first that cannot be read: the end of the stack.
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

bool StackCapture::Install() {
  capture_state.store(0);
  memory_.BindToThisThread();
  // By default these are ignored: one that arrives after the program was replaced (execve) does no harm.
  for (const int signal : {SIGURG, SIGWINCH}) {
    struct sigaction now {};
    if (sigaction(signal, nullptr, &now) != 0) continue;
    // A parent process may have installed it.
    const bool is_ours = (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == OnSignal;
    if (!is_ours && ((now.sa_flags & SA_SIGINFO) != 0 || now.sa_handler != SIG_DFL)) continue;
    struct sigaction action {};
    action.sa_sigaction = OnSignal;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigfillset(&action.sa_mask);
    for (const int fault : {SIGSEGV, SIGBUS}) sigdelset(&action.sa_mask, fault);
    capture.store(this);
    if (sigaction(signal, &action, nullptr) != 0) continue;
    signal_ = signal;
    return true;
  }
  capture.store(nullptr);
  return false;
}

bool StackCapture::Ask(int32_t tid, uint64_t python_state) {
  struct sigaction now {};
  if (is_lost_ || sigaction(signal_, nullptr, &now) != 0) return false;
  is_lost_ = (now.sa_flags & SA_SIGINFO) == 0 || now.sa_sigaction != OnSignal;
  if (is_lost_) return false;
  python_state_ = python_state;
  memory_.MoveTo(tid);
  turn_ = (turn_ + 1) & (UINT32_MAX >> kPhaseBits);
  capture_state.store(StateOf(turn_, kAsked));
  siginfo_t info{};
  info.si_signo = signal_;
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value.sival_int = static_cast<int>(turn_);
  if (syscall(SYS_rt_tgsigqueueinfo, getpid(), tid, signal_, &info) != 0) {
    capture_state.store(StateOf(turn_, kIdle));
    return false;
  }
  tid_ = tid;
  return true;
}

bool StackCapture::ReadSleeping(int32_t tid, uint64_t python_state) {
  SleepPlace place;
  const int64_t before_ns = ReadClock(ClockOfThread(tid));
  if (!ReadSleepPlace(tid, &place)) return false;
  memory_.MoveTo(static_cast<int32_t>(syscall(SYS_gettid)));
  registers_.known = 0;
  registers_.pc = place.pc;
  registers_.Set(kStackPointer, place.stack_pointer);
  cpu_ns_ = before_ns;
  python_state_ = python_state;
  ReadStacks();
  // A thread that did not run has the same stacks.
  SleepPlace after;
  return ReadSleepPlace(tid, &after) && after.pc == place.pc && ReadClock(ClockOfThread(tid)) == before_ns;
}

bool StackCapture::Await(int64_t most_ns) {
  const uint32_t done = StateOf(turn_, kDone);
  const int64_t end_ns = ReadClock(CLOCK_MONOTONIC) + most_ns;
  for (;;) {
    const uint32_t now = capture_state.load();
    if (now == done) return true;
    const int64_t left_ns = end_ns - ReadClock(CLOCK_MONOTONIC);
    if (left_ns <= 0) return false;
    WaitWhile(now, left_ns);
  }
}

void StackCapture::End() {
  uint32_t expected = StateOf(turn_, kAsked);
  if (!capture_state.compare_exchange_strong(expected, StateOf(turn_, kIdle))) {
    while (!Await(kCaptureWaitNs)) continue;
    capture_state.store(StateOf(turn_, kIdle));
  }
  tid_ = 0;
}

}  // namespace sparkprof
