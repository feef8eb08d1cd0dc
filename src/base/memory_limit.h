// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <utility>

namespace sparkprof {

// Limits the memory that a thread allocates with `new`: foreign data can expand to a thousand times its size in a
// reader's tables. Effective in programs that link the library `allocation` (sparkprof, tests, fuzz targets). Does not
// count allocations of C libraries. Not for readers that start threads.
class MemoryLimit {
 public:
  // Thrown by `new`.
  struct Exceeded : std::bad_alloc {
    const char* what() const noexcept override { return "too large: the limit of memory was exceeded"; }
  };

  // Applies to this thread until destroyed, and replaces the previous one, which is then charged for the memory still
  // in use.
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

  // Number of threads for ForEachInParallel: a limit does not apply to other threads.
  static size_t Threads() { return current_ == nullptr ? 0 : 1; }

  // True even if a library caught the exception.
  bool WasExceeded() const { return was_exceeded_; }

  // Whether `bytes` more are within the limit. If not, the limit counts as exceeded.
  bool Allows(size_t bytes) {
    if (bytes <= INT64_MAX / 2 && used_bytes_ + static_cast<int64_t>(bytes) <= max_bytes_) return true;
    was_exceeded_ = true;
    return false;
  }
  // Marks the limit as exceeded, for data that would take too much time.
  void Exceed() { was_exceeded_ = true; }
  void Add(size_t bytes) { used_bytes_ += static_cast<int64_t>(bytes); }
  void Subtract(size_t bytes) { used_bytes_ -= static_cast<int64_t>(bytes); }

  // Disables counting while it exists: for memory that is reserved but hardly used.
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
  int64_t used_bytes_ = 0;  // may be negative: earlier allocations can be freed
  bool was_exceeded_ = false;
};

// "too large: expands to more than 64 MiB"
std::string TooLarge(size_t max_bytes);

// The result of work(); nullopt if it exceeds the memory limit.
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
