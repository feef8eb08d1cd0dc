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

// Message of the current exception. Does not allocate if memory is exhausted.
Error CurrentException() noexcept;

// Returns the result of `act`, or its exception as an error: for work in which one failure must not stop the rest.
template <typename Act>
auto Guarded(Act&& act) -> decltype(act()) {
  try {
    return act();
  } catch (...) {
    return tl::unexpected(CurrentException());
  }
}

// Work on a separate thread. An exception becomes a state, and the thread continues, instead of ending the process.
// Thread-safe.
class BackgroundTask {
 public:
  struct State {
    std::string name;       // "retention"
    std::string problem;    // problem of the last attempt; empty = success
    uint64_t failures = 0;  // total number of attempts that ended with an exception
    std::string last_error;
    int64_t since_ns = 0;  // time of the first failure since the last success, since the Unix epoch; 0 = none
  };

  explicit BackgroundTask(std::string name);
  BackgroundTask(const BackgroundTask&) = delete;
  BackgroundTask& operator=(const BackgroundTask&) = delete;

  // Sets the calling thread's name to the task's; the kernel keeps 15 bytes.
  void NameThread() const noexcept;

  // Calls `act`. Returns false if it threw an exception, which stays in the state until an attempt succeeds.
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

// Formats "retention: failed since 2026-11-24T18:00:00Z: out of memory (failures so far: 3)"; empty if the last attempt
// succeeded.
std::string ProblemText(const BackgroundTask::State& state);

}  // namespace sparkprof
