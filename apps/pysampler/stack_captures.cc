// SPDX-License-Identifier: Apache-2.0
#include "stack_captures.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "own_threads.h"

namespace sparkprof {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;

// Stored in the lowest bits of a slot's state.
enum Phase : uint32_t { kIdle = 0, kRequested = 1, kCapturing = 2, kAnswered = 3 };
constexpr uint32_t kPhaseBits = 2;
// Number of missing answers, at most kMax, in the lowest bits.
constexpr uint32_t kCountBits = 8;
constexpr uint32_t kTurns = uint32_t{1} << (32 - kCountBits);
static_assert(StackCaptures::kMax < uint32_t{1} << kCountBits);

uint32_t StateIn(uint32_t turn, Phase phase) { return turn << kPhaseBits | phase; }

// Global, because the handler has no argument. Not thread-local, because thread-local memory may be allocated on first
// use.
std::atomic<StackCaptures*> installed{nullptr};

}  // namespace

void StackCaptures::OnSignal(int /*signal*/, siginfo_t* info, void* context) {
  if (info->si_code != SI_QUEUE) return;
  const int before = errno;
  const auto tid = static_cast<int32_t>(syscall(SYS_gettid));
  StackCaptures* const all = installed.load();
  for (size_t slot = 0; slot < kMax; ++slot) {
    if (all->Answer(slot, tid, *static_cast<const ucontext_t*>(context))) break;
  }
  errno = before;
}

// A late call for an abandoned request may answer the next request of the same thread.
bool StackCaptures::Answer(size_t index, int32_t tid, const ucontext_t& context) {
  Slot& slot = slots_[index];
  uint32_t state = slot.state.load();
  const uint32_t turn = state >> kPhaseBits;
  if (state != StateIn(turn, kRequested) || slot.tid.load() != tid) return false;
  if (!slot.state.compare_exchange_strong(state, StateIn(turn, kCapturing))) return false;
  captures_[index].Capture(context);
  slot.state.store(StateIn(turn, kAnswered));
  uint32_t missing = missing_.load();
  while (missing >> kCountBits == turn) {
    if (!missing_.compare_exchange_weak(missing, missing - 1)) continue;
    if (missing - 1 == turn << kCountBits) syscall(SYS_futex, &missing_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
    break;
  }
  return true;
}

bool StackCaptures::Install() {
  pid_ = getpid();
  for (StackCapture& capture : captures_) capture.Bind();
  // Ignored by default, so a signal that arrives after the program was replaced (execve) is harmless.
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
    installed.store(this);
    if (sigaction(signal, &action, nullptr) != 0) continue;
    signal_ = signal;
    return true;
  }
  installed.store(nullptr);
  return false;
}

int StackCaptures::BeginTurn(int64_t oldest_ns) {
  struct sigaction now {};
  is_lost_ = is_lost_ || sigaction(signal_, nullptr, &now) != 0 || (now.sa_flags & SA_SIGINFO) == 0 ||
             now.sa_sigaction != OnSignal;
  turn_ = (turn_ + 1) % kTurns;
  missing_.store(turn_ << kCountBits);
  int given_up = 0;
  for (Slot& slot : slots_) {
    if (slot.tid == 0) continue;
    if (slot.is_given_up) {
      slot.tid = 0;
    } else if (slot.asked_ns < oldest_ns && (slot.state.load() & kAnswered) != kAnswered) {
      Release(&slot);
      slot.is_given_up = true;
      ++given_up;
    }
  }
  return given_up;
}

size_t StackCaptures::SlotOf(int32_t tid) const {
  size_t slot = 0;
  while (slot < kMax && slots_[slot].tid != tid) ++slot;
  return slot;
}

StackCaptures::State StackCaptures::StateOf(int32_t tid) const {
  const size_t index = SlotOf(tid);
  if (index == kMax) return State::kNone;
  const Slot& slot = slots_[index];
  if (slot.is_given_up) return State::kGivenUp;
  return (slot.state.load() & kAnswered) == kAnswered ? State::kDone : State::kAsked;
}

StackCaptures::Outcome StackCaptures::Ask(int32_t tid, uint64_t python_state, int64_t now_ns) {
  if (is_lost_) return Outcome::kFailed;
  if (SlotOf(tid) != kMax) return Outcome::kAsked;
  const size_t index = SlotOf(0);
  if (index == kMax) return Outcome::kNoRoom;
  Slot& slot = slots_[index];
  captures_[index].Prepare(tid, python_state);
  slot.asked_ns = now_ns;
  slot.is_given_up = false;
  missing_.fetch_add(1);
  slot.tid.store(tid);
  slot.state.store(StateIn(turn_, kRequested));
  siginfo_t info{};
  info.si_signo = signal_;
  info.si_code = SI_QUEUE;
  info.si_pid = pid_;
  if (syscall(SYS_rt_tgsigqueueinfo, pid_, tid, signal_, &info) == 0) return Outcome::kAsked;
  if (Release(&slot)) missing_.fetch_sub(1);
  slot.tid = 0;
  return Outcome::kFailed;
}

void StackCaptures::Await(int64_t most_ns) {
  const int64_t end_ns = ClockNanos(CLOCK_MONOTONIC) + most_ns;
  for (;;) {
    const uint32_t missing = missing_.load();
    const int64_t left_ns = end_ns - ClockNanos(CLOCK_MONOTONIC);
    if (missing == turn_ << kCountBits || left_ns <= 0) return;
    const timespec most{left_ns / kSecondNs, left_ns % kSecondNs};
    syscall(SYS_futex, &missing_, FUTEX_WAIT_PRIVATE, missing, &most, nullptr, 0);
  }
}

void StackCaptures::End(int32_t tid) {
  const size_t index = SlotOf(tid);
  if (index == kMax) return;
  Release(&slots_[index]);
  slots_[index].tid = 0;
}

void StackCaptures::EndAll() {
  for (Slot& slot : slots_) {
    if (slot.tid == 0) continue;
    Release(&slot);
    slot.tid = 0;
  }
}

// Prevents further captures into the slot. Returns true if it has no answer.
bool StackCaptures::Release(Slot* slot) {
  const uint32_t turn = slot->state.load() >> kPhaseBits;
  uint32_t state = StateIn(turn, kRequested);
  if (slot->state.compare_exchange_strong(state, StateIn(turn, kIdle))) return true;
  while (state == StateIn(turn, kCapturing)) {
    sched_yield();
    state = slot->state.load();
  }
  slot->state.store(StateIn(turn, kIdle));
  return false;
}

}  // namespace sparkprof
