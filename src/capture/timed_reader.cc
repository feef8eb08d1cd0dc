// SPDX-License-Identifier: Apache-2.0
#include "capture/timed_reader.h"

#include <time.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/background_task.h"
#include "base/io/file.h"
#include "base/time.h"

namespace sparkprof {
namespace {

int64_t CpuOfThread() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * kNanosPerSecond + time.tv_nsec;
}

TimedReader::Answer ReadAll(const std::vector<std::string>& paths) {
  TimedReader::Answer answer;
  const int64_t begin_ns = CpuOfThread();
  for (const std::string& path : paths) answer.texts.push_back(Guarded([&] { return ReadFile(path); }).value_or(""));
  answer.cpu_ns = CpuOfThread() - begin_ns;
  return answer;
}

}  // namespace

// State shared with the thread, which may outlive the reader.
struct TimedReader::Worker {
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<std::vector<std::string>> request;
  std::optional<Answer> answer;
  bool is_over = false;         // the reader was destroyed or gave up
  bool is_left_behind = false;  // counted as blocked

  void Run(const std::shared_ptr<std::atomic<int>>& blocked) {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [this] { return request || is_over; });
      if (is_over) break;
      const std::vector<std::string> paths = *std::exchange(request, std::nullopt);
      lock.unlock();
      Answer read = ReadAll(paths);
      lock.lock();
      answer = std::move(read);
      changed.notify_all();
    }
    if (is_left_behind) --*blocked;
  }
};

TimedReader::TimedReader() : blocked_(std::make_shared<std::atomic<int>>(0)) {}

TimedReader::~TimedReader() {
  if (!worker_) return;
  const std::lock_guard lock(worker_->mutex);
  worker_->is_over = true;
  worker_->changed.notify_all();
}

std::optional<TimedReader::Answer> TimedReader::Read(std::vector<std::string> paths, int64_t limit_ns) {
  if (!worker_) {
    if (*blocked_ >= kMaxBlocked) return std::nullopt;
    auto worker = std::make_shared<Worker>();
    try {
      std::thread([worker, blocked = blocked_] { worker->Run(blocked); }).detach();
    } catch (const std::system_error&) {
      return std::nullopt;  // thread limit reached: retried at the next reading
    }
    worker_ = std::move(worker);
  }
  std::unique_lock lock(worker_->mutex);
  worker_->request = std::move(paths);
  worker_->changed.notify_all();
  const bool is_read = worker_->changed.wait_for(lock, std::chrono::nanoseconds(limit_ns),
                                                 [this] { return worker_->answer.has_value(); });
  if (is_read) return std::exchange(worker_->answer, std::nullopt);
  worker_->is_over = worker_->is_left_behind = true;
  worker_->changed.notify_all();
  ++*blocked_;
  lock.unlock();
  worker_.reset();
  return std::nullopt;
}

}  // namespace sparkprof
