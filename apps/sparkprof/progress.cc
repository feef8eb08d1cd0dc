// SPDX-License-Identifier: Apache-2.0
#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <utility>

#include "base/background_task.h"

namespace sparkprof {

Progress::Progress(std::string what) : what_(std::move(what)) {
  if (isatty(STDERR_FILENO) != 0) thread_ = std::thread([this] { Show(); });
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void Progress::Show() {
  // A terminal that is gone cannot be written to; the work goes on.
  (void)Guarded([this]() -> Result<void> {
    ShowUntilEnd();
    return {};
  });
}

void Progress::ShowUntilEnd() {
  std::unique_lock lock(mutex_);
  bool shown = false;
  for (int seconds = 1; !ended_.wait_for(lock, std::chrono::seconds(1), [this] { return has_ended_; }); ++seconds) {
    fmt::print(stderr, "\r\033[Ksparkprof: {} … {} s", what_, seconds);
    std::fflush(stderr);
    shown = true;
  }
  if (shown) fmt::print(stderr, "\r\033[K");
}

}  // namespace sparkprof
