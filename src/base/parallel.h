// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace sparkprof {

// Calls work(row) once for each row below `count`, on up to `threads` threads including the caller's; 0 = number of
// cores. Returns when all are done. The first exception of `work` soon ends the other threads and is rethrown.
template <typename Work>
void ForEachInParallel(size_t count, size_t threads, const Work& work) {
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr problem;
  const auto take = [&]() noexcept {
    try {
      for (size_t row = next++; row < count; row = next++) work(row);
    } catch (...) {
      next = count;
      const std::lock_guard lock(mutex);
      if (!problem) problem = std::current_exception();
    }
  };
  if (threads == 0) threads = std::thread::hardware_concurrency();
  {
    std::vector<std::jthread> others;
    try {
      for (size_t thread = 1; thread < std::min(threads, count); ++thread) others.emplace_back(take);
    } catch (const std::system_error&) {
      // No more threads are allowed: the existing ones do the work.
    }
    take();
  }
  if (problem) std::rethrow_exception(problem);
}

}  // namespace sparkprof
