// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <new>
#include <utility>

namespace sparkprof {

// Lets other threads end the work of a thread: its next `new` throws Canceled, once. Readers and answers allocate all
// the time, and undo what they began as they do when memory is exceeded. Enforced in programs that link the library
// `allocation`. Threads that the work starts go on until the work ends.
class Cancellation {
 public:
  struct Canceled : std::bad_alloc {
    const char* what() const noexcept override { return "canceled"; }
  };

  // Holds for this thread until destroyed, in place of the one that held before.
  Cancellation() : before_(std::exchange(current_, this)) {}
  ~Cancellation() { current_ = before_; }
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  // From any thread.
  void Cancel() { is_requested_ = true; }

  // Cancels the work of this thread.
  static void CancelCurrent() {
    if (current_ != nullptr) current_->Cancel();
  }

  // While it lives, this thread is not canceled: for libraries that an exception of `new` could leave broken.
  class Pause {
   public:
    Pause() : paused_(std::exchange(current_, nullptr)) {}
    ~Pause() { current_ = paused_; }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    Cancellation* const paused_;
  };

  // For `new`: whether it is to throw.
  static bool IsDue() {
    return current_ != nullptr && current_->is_requested_.load(std::memory_order_relaxed) &&
           current_->is_requested_.exchange(false);
  }

 private:
  static inline constinit thread_local Cancellation* current_ = nullptr;

  Cancellation* const before_;
  std::atomic<bool> is_requested_ = false;
};

}  // namespace sparkprof
