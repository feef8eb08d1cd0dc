// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/io/line_reader.h"
#include "event_log/event_parser.h"

namespace sparkprof {

// Threads that read and decode batches of an event log ahead of the consumer. A Batch has Lines(), into which data is
// read, and Decode(EventParser*), which replaces previous contents. Batches are reused to save allocations.
template <typename Batch>
class BatchQueue {
 public:
  // `read` stores the next lines, none at the end. Only one thread at a time calls it.
  BatchQueue(std::function<void(LineBlock*)> read, size_t threads)
      : read_lines_(std::move(read)), most_waiting_(2 * threads) {
    for (size_t thread = 0; thread < threads; ++thread) {
      try {
        threads_.emplace_back([this] { DecodeGuarded(); });
      } catch (const std::system_error&) {
        // No more threads are allowed: the existing ones do the work.
        if (threads_.empty()) throw;
        break;
      }
    }
  }
  BatchQueue(const BatchQueue&) = delete;
  BatchQueue& operator=(const BatchQueue&) = delete;

  ~BatchQueue() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
  }

  // The next batch of the log, valid until the next call; null = the end. Rethrows a thread's exception.
  Batch* Next() {
    std::unique_lock lock(mutex_);
    if (current_ != nullptr) free_.push_back(std::move(current_));
    changed_.wait(lock, [&] { return problem_ || ready_.contains(next_) || (end_ && next_ >= *end_); });
    if (problem_) std::rethrow_exception(problem_);
    const auto found = ready_.find(next_);
    if (found == ready_.end()) return nullptr;
    current_ = std::move(found->second);
    ready_.erase(found);
    ++next_;
    changed_.notify_all();
    return current_.get();
  }

 private:
  void DecodeGuarded() noexcept {
    try {
      Decode();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!problem_) problem_ = std::current_exception();
      stopped_ = true;
      changed_.notify_all();
    }
  }

  void Decode() {
    EventParser parser;
    while (true) {
      size_t number = 0;
      std::unique_ptr<Batch> batch;
      {
        const std::lock_guard reading(reading_);
        batch = WaitForPlace();
        if (batch == nullptr) return;
        read_lines_(&batch->Lines());
        const std::lock_guard lock(mutex_);
        number = read_;
        if (batch->Lines().lines.empty()) {
          end_ = read_;
          changed_.notify_all();
          return;
        }
        ++read_;
      }
      batch->Decode(&parser);
      const std::lock_guard lock(mutex_);
      ready_.emplace(number, std::move(batch));
      changed_.notify_all();
    }
  }

  // Limits the memory of decoded but unconsumed batches. Null = stopped.
  std::unique_ptr<Batch> WaitForPlace() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopped_ || end_ || read_ < next_ + most_waiting_; });
    if (stopped_ || end_) return nullptr;
    if (free_.empty()) return std::make_unique<Batch>();
    std::unique_ptr<Batch> batch = std::move(free_.back());
    free_.pop_back();
    return batch;
  }

  const std::function<void(LineBlock*)> read_lines_;
  const size_t most_waiting_;
  std::mutex reading_;  // only one thread at a time calls read_lines_
  std::mutex mutex_;    // guards the following members
  std::condition_variable changed_;
  size_t read_ = 0;  // number of batches read
  size_t next_ = 0;  // next batch to consume
  std::optional<size_t> end_;
  bool stopped_ = false;
  std::exception_ptr problem_;
  std::map<size_t, std::unique_ptr<Batch>> ready_;
  std::vector<std::unique_ptr<Batch>> free_;
  std::unique_ptr<Batch> current_;
  std::vector<std::jthread> threads_;
};

}  // namespace sparkprof
