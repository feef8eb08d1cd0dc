// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace sparkprof {

// Progress in bytes, for a rate, and for a percentage if the total is known.
struct ProgressBytes {
  std::function<uint64_t()> done;          // called from another thread; null = unknown
  uint64_t all = 0;                        // 0 = unknown
  std::function<uint64_t()> all_now = {};  // replaces `all` while it is being determined
};

// Shows a progress line on standard error, only on a terminal and only after a second: "reading app.zstd … 40%, 212 MiB
// of 530 MiB, 84 MiB/s, 4 s left". The destructor erases the line.
class Progress {
 public:
  explicit Progress(std::string what, ProgressBytes bytes = {});
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  void Show();
  void ShowUntilEnd();

  const std::string what_;
  const ProgressBytes bytes_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
  std::thread thread_;
};

// Erases the progress line before a message is printed; it is shown again within a second.
void EraseProgress();

// Bytes read from files from now on; `all` = 0 if unknown.
ProgressBytes BytesOfFiles(uint64_t all);

// Progress through files that are read once: the named ones and those below named folders.
ProgressBytes BytesOfPaths(const std::vector<std::string>& paths);

// Formats "40%, 212 MiB of 530 MiB, 84 MiB/s, 4 s left"; only the time if nothing else is known.
std::string ProgressText(const ProgressBytes& bytes, int seconds);

}  // namespace sparkprof
