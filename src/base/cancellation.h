// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <new>
#include <utility>

namespace sparkprof {

// Lets other threads cancel the work of a thread: its next `new` throws Canceled, once. Readers and answers allocate
// frequently, and clean up as they do if memory is exceeded. Effective in programs that link the library `allocation`.
// Threads started by the work continue until the work ends.
class Cancellation {
 public:
  struct Canceled : std::bad_alloc {
    const char* what() const noexcept override { return "canceled"; }
  };

  // Applies to this thread until destroyed, and replaces the previous one.
  Cancellation() : before_(std::exchange(current_, this)) {}
  ~Cancellation() { current_ = before_; }
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  // Callable from any thread.
  void Cancel() { is_requested_ = true; }

  // Cancels this thread's work.
  static void CancelCurrent() {
    if (current_ != nullptr) current_->Cancel();
  }

  // Prevents cancellation of this thread while it exists: for libraries that an exception of `new` could corrupt.
  class Pause {
   public:
    Pause() : paused_(std::exchange(current_, nullptr)) {}
    ~Pause() { current_ = paused_; }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    Cancellation* const paused_;
  };

  // Called by `new`: whether it must throw.
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
