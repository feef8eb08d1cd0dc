// SPDX-License-Identifier: Apache-2.0
#include "output/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/background_task.h"
#include "base/io/byte_source.h"
#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {

namespace fs = std::filesystem;

namespace {

std::atomic<bool> is_shown = false;

}  // namespace

void EraseProgress() {
  if (!is_shown.exchange(false)) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

Progress::Progress(std::string what, ProgressBytes bytes) : what_(std::move(what)), bytes_(std::move(bytes)) {
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
  // Writing fails if the terminal is gone; the work continues.
  (void)Guarded([this]() -> Result<void> {
    ShowUntilEnd();
    return {};
  });
}

void Progress::ShowUntilEnd() {
  std::unique_lock lock(mutex_);
  for (int seconds = 1; !ended_.wait_for(lock, std::chrono::seconds(1), [this] { return has_ended_; }); ++seconds) {
    fmt::print(stderr, "\r\033[Ksparkprof: {} … {}", what_, ProgressText(bytes_, seconds));
    std::fflush(stderr);
    is_shown = true;
  }
  EraseProgress();
}

ProgressBytes BytesOfFiles(uint64_t all) {
  return {.done = [start = BytesReadFromFiles()] { return BytesReadFromFiles() - start; }, .all = all};
}

ProgressBytes BytesOfPaths(const std::vector<std::string>& paths) {
  // Limits the time for computing a percentage.
  constexpr int kMaxFiles = 10'000;
  uint64_t all = 0;
  int files = 0;
  const auto add = [&](const fs::directory_entry& entry) {
    std::error_code error;
    if (entry.is_regular_file(error)) all += entry.file_size(error);
    return ++files <= kMaxFiles;
  };
  for (const std::string& path : paths) {
    std::error_code error;
    const fs::directory_entry entry(path, error);
    if (error || !add(entry)) return BytesOfFiles(0);
    if (!entry.is_directory(error)) continue;
    fs::recursive_directory_iterator below(path, fs::directory_options::skip_permission_denied, error);
    for (; !error && below != fs::recursive_directory_iterator(); below.increment(error)) {
      if (!add(*below)) return BytesOfFiles(0);
    }
  }
  return BytesOfFiles(all);
}

std::string ProgressText(const ProgressBytes& bytes, int seconds) {
  const uint64_t done = bytes.done ? bytes.done() : 0;
  if (done == 0) return fmt::format("{} s", seconds);
  const auto size = [](uint64_t count) { return FormatBytes(static_cast<int64_t>(count)); };
  const std::string rate = fmt::format("{}/s", size(done / static_cast<uint64_t>(std::max(seconds, 1))));
  const uint64_t all = bytes.all_now ? bytes.all_now() : bytes.all;
  if (all == 0 || done > all) return fmt::format("{}, {}", size(done), rate);
  const double share = static_cast<double>(done) / static_cast<double>(all);
  const double left_s = static_cast<double>(seconds) * (1 - share) / share;
  return fmt::format("{:.0f}%, {} of {}, {}, {} left", 100 * share, size(done), size(all), rate,
                     FormatDuration(static_cast<int64_t>(left_s) * kNanosPerSecond));
}

}  // namespace sparkprof
