// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include "base/result.h"

namespace sparkprof {

// Message of the exception that is being handled. Allocates nothing if there is no memory.
Error CurrentException() noexcept;

// The result of `act`, or its exception as an error: for work of which one piece must not stop the others.
template <typename Act>
auto Guarded(Act&& act) -> decltype(act()) {
  try {
    return act();
  } catch (...) {
    return tl::unexpected(CurrentException());
  }
}

// Work that goes on in a thread of its own. An exception in it would end the process; here it becomes a state, and the
// thread goes on. Thread-safe.
class BackgroundTask {
 public:
  struct State {
    std::string name;       // "retention"
    std::string problem;    // of the last attempt; empty = it succeeded
    uint64_t failures = 0;  // attempts that ended with an exception, ever
    std::string last_error;
    int64_t since_ns = 0;  // the first of the failures that lead to `problem`, since the Unix epoch; 0 = none
  };

  explicit BackgroundTask(std::string name);
  BackgroundTask(const BackgroundTask&) = delete;
  BackgroundTask& operator=(const BackgroundTask&) = delete;

  // Gives the calling thread the task's name, of which the kernel keeps 15 bytes.
  void NameThread() const noexcept;

  // Calls `act`. False: it ended with an exception, which the state has until an attempt succeeds.
  template <typename Act>
  bool Attempt(Act&& act) noexcept {
    try {
      act();
    } catch (...) {
      SetFailed(CurrentException());
      return false;
    }
    SetSucceeded();
    return true;
  }

  State Get() const;

 private:
  void SetFailed(Error error) noexcept;
  void SetSucceeded() noexcept;

  mutable std::mutex mutex_;
  State state_;
};

// "retention: failed since 2026-11-24T18:00:00Z: out of memory (failures so far: 3)"; empty if the last attempt
// succeeded.
std::string ProblemText(const BackgroundTask::State& state);

}  // namespace sparkprof
