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

// Asks threads of this process to capture their stacks in the handler of a signal. The process does not use the signal
// and its default action is to ignore it; once the process uses it, captures stop. Neither handler nor sampler
// allocates or takes a lock.
// System calls that the kernel does not restart (poll, epoll_wait, nanosleep) may end early with EINTR, as with any
// profiler that uses signals; therefore callers ask only threads that run.
// One per process, used by one thread. In each of its turns: BeginTurn, Ask for all threads, Await once, then read the
// answers and End them. A thread that waits for a CPU answers in a later turn.
class StackCaptures {
 public:
  static constexpr size_t kMax = 24;  // maximum number of concurrent requests

  explicit StackCaptures(const OwnPython& python) : StackCaptures(python, std::make_index_sequence<kMax>()) {}

  // Returns false if no signal is free.
  bool Install();
  // Whether the process now uses the signal itself.
  bool IsLost() const { return is_lost_; }

  // Abandons requests made before `oldest_ns` and returns their number: these threads have exited or block signals.
  int BeginTurn(int64_t oldest_ns);
  enum class State : uint8_t {
    kNone,     // no request
    kAsked,    //
    kDone,     // the answer is available
    kGivenUp,  // abandoned in this turn
  };
  State StateOf(int32_t tid) const;
  enum class Outcome : uint8_t {
    kAsked,   // requested now or before
    kNoRoom,  // too many concurrent requests
    kFailed,  // the thread has exited, or the signal is lost
  };
  // `python_state`: state of the thread; 0 = none.
  Outcome Ask(int32_t tid, uint64_t python_state, int64_t now_ns);
  // Waits at most `most_ns` until all threads with a request in this turn have answered.
  void Await(int64_t most_ns);
  // Valid while the thread's state is kDone.
  const StackCapture& AnswerOf(int32_t tid) const { return captures_[SlotOf(tid)]; }
  // Releases a thread's answer, or abandons its request.
  void End(int32_t tid);
  void EndAll();

 private:
  struct Slot {
    std::atomic<uint32_t> state{0};  // turn and phase
    std::atomic<int32_t> tid{0};     // 0 = unused slot
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
  std::atomic<uint32_t> missing_{0};  // this turn, and its number of missing answers
  Slot slots_[kMax];
  StackCapture captures_[kMax];
};

}  // namespace sparkprof
