// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <utility>

namespace sparkprof {

// Bounds the memory that a thread allocates with `new`: data of others may expand to a thousand times its size, in the
// tables of any reader. Enforced in programs that link the library `allocation` (sparkprof, tests, fuzz targets). What
// C libraries allocate is not counted. Not for threads that the reader starts.
class MemoryLimit {
 public:
  // Thrown by `new`.
  struct Exceeded : std::bad_alloc {
    const char* what() const noexcept override { return "too large: the limit of memory was exceeded"; }
  };

  // Holds for this thread until destroyed, in place of the one that held before, which is then charged for what is
  // left.
  explicit MemoryLimit(size_t max_bytes)
      : max_bytes_(static_cast<int64_t>(max_bytes)), before_(std::exchange(current_, this)) {}
  ~MemoryLimit() {
    if (before_ != nullptr) before_->used_bytes_ += used_bytes_;
    current_ = before_;
  }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

  // The limit of this thread, or null.
  static MemoryLimit* Current() { return current_; }

  // How many threads may do this thread's work, for ForEachInParallel: a limit does not hold for others.
  static size_t Threads() { return current_ == nullptr ? 0 : 1; }

  // Also true when a library caught the exception.
  bool WasExceeded() const { return was_exceeded_; }

  // Whether `bytes` more are within the limit; if not, it was exceeded.
  bool Allows(size_t bytes) {
    if (bytes <= INT64_MAX / 2 && used_bytes_ + static_cast<int64_t>(bytes) <= max_bytes_) return true;
    was_exceeded_ = true;
    return false;
  }
  // For data that costs more time than it may.
  void Exceed() { was_exceeded_ = true; }
  void Add(size_t bytes) { used_bytes_ += static_cast<int64_t>(bytes); }
  void Subtract(size_t bytes) { used_bytes_ -= static_cast<int64_t>(bytes); }

  // While it lives, nothing is counted: for memory that is reserved, but hardly used.
  class Pause {
   public:
    Pause() : paused_(std::exchange(current_, nullptr)) {}
    ~Pause() { current_ = paused_; }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    MemoryLimit* const paused_;
  };

 private:
  static constinit thread_local MemoryLimit* current_;

  const int64_t max_bytes_;
  MemoryLimit* const before_;
  int64_t used_bytes_ = 0;  // may be negative: what was allocated before can be freed
  bool was_exceeded_ = false;
};

// "too large: expands to more than 64 MiB"
std::string TooLarge(size_t max_bytes);

// The result of work(); nullopt if it needs more memory.
template <typename Work>
auto WithinMemory(size_t max_bytes, const Work& work) -> std::optional<decltype(work())> {
  try {
    MemoryLimit limit(max_bytes);
    auto result = work();
    if (!limit.WasExceeded()) return result;
  } catch (const MemoryLimit::Exceeded&) {
  }
  return std::nullopt;
}

}  // namespace sparkprof
