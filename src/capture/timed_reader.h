// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sparkprof {

// Reads files that may block. For cmdline, environ and smaps_rollup in /proc, the kernel waits for the lock of the
// process's memory, which a page fault on an unresponsive file system holds for as long. Another thread reads; if it
// takes too long, it is abandoned. Not thread-safe.
class TimedReader {
 public:
  TimedReader();
  ~TimedReader();
  TimedReader(const TimedReader&) = delete;
  TimedReader& operator=(const TimedReader&) = delete;

  struct Answer {
    std::vector<std::string> texts;  // empty for an unreadable file
    int64_t cpu_ns = 0;              // CPU time of the reading
  };
  // nullopt if it takes longer than `limit_ns`, or kMaxBlocked threads are blocked.
  std::optional<Answer> Read(std::vector<std::string> paths, int64_t limit_ns);

  static constexpr int kMaxBlocked = 32;

 private:
  struct Worker;

  std::shared_ptr<Worker> worker_;             // null = not running
  std::shared_ptr<std::atomic<int>> blocked_;  // number of abandoned threads
};

}  // namespace sparkprof
