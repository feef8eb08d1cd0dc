// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace sparkprof {

// Calls work(row) once for each row below `count`, in up to `threads` threads including the caller's; 0 = number of
// cores. Returns when all are done. `work` must not throw.
template <typename Work>
void ForEachInParallel(size_t count, size_t threads, const Work& work) {
  std::atomic<size_t> next = 0;
  const auto take = [&] {
    for (size_t row = next++; row < count; row = next++) work(row);
  };
  if (threads == 0) threads = std::thread::hardware_concurrency();
  std::vector<std::jthread> others;
  for (size_t thread = 1; thread < std::min(threads, count); ++thread) others.emplace_back(take);
  take();
}

}  // namespace sparkprof
