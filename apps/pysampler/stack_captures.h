// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <ucontext.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "own_python.h"
#include "stack_capture.h"

namespace sparkprof {

// Asks threads of this process to capture their stacks, in the handler of a signal. The signal is one that the process
// does not use and that is ignored by default; if the process begins to use it, nothing is captured any more. Handler
// and sampler do not allocate and take no lock.
//
// System calls that the kernel does not restart (poll, epoll_wait, nanosleep) may end early with EINTR, as with any
// profiler that uses signals; therefore callers ask only threads that run.
//
// One per process, used by one thread. In each of its turns: BeginTurn, Ask for all threads, Await once, then read the
// answers and End them. A thread that waits for a CPU answers in a later turn.
class StackCaptures {
 public:
  static constexpr size_t kMax = 24;  // threads that may be asked at the same time

  explicit StackCaptures(const OwnPython& python) : StackCaptures(python, std::make_index_sequence<kMax>()) {}

  // False if there is no free signal.
  bool Install();
  // Whether the process now uses the signal itself.
  bool IsLost() const { return is_lost_; }

  // Gives up threads that were asked before `oldest_ns`; returns how many. They have exited, or block signals.
  int BeginTurn(int64_t oldest_ns);
  enum class State : uint8_t {
    kNone,     // it is not asked
    kAsked,    //
    kDone,     // the answer is there
    kGivenUp,  // in this turn
  };
  State StateOf(int32_t tid) const;
  enum class Outcome : uint8_t {
    kAsked,   // now or before
    kNoRoom,  // too many others are
    kFailed,  // it has exited, or the signal is lost
  };
  // `python_state`: of the thread, 0 = it has none.
  Outcome Ask(int32_t tid, uint64_t python_state, int64_t now_ns);
  // Waits until the threads that were asked in this turn have answered, for at most `most_ns`.
  void Await(int64_t most_ns);
  // While its state is kDone.
  const StackCapture& AnswerOf(int32_t tid) const { return captures_[SlotOf(tid)]; }
  // Ends the use of a thread's answer, or no longer waits for it.
  void End(int32_t tid);
  void EndAll();

 private:
  struct Slot {
    std::atomic<uint32_t> state{0};  // turn and phase
    std::atomic<int32_t> tid{0};     // 0 = free
    int64_t asked_ns = 0;
    bool is_given_up = false;
  };

  template <size_t... kIndex>
  StackCaptures(const OwnPython& python, std::index_sequence<kIndex...>)
      : captures_{(static_cast<void>(kIndex), StackCapture(python))...} {}

  static void OnSignal(int signal, siginfo_t* info, void* context);
  bool Answer(size_t slot, int32_t tid, const ucontext_t& context);
  size_t SlotOf(int32_t tid) const;
  bool Release(Slot* slot);

  int32_t pid_ = 0;
  int signal_ = 0;
  bool is_lost_ = false;
  uint32_t turn_ = 0;
  std::atomic<uint32_t> missing_{0};  // this turn, and how many of its answers are missing
  Slot slots_[kMax];
  StackCapture captures_[kMax];
};

}  // namespace sparkprof
