// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/result.h"
#include "server/folders/event_log_directory.h"

namespace sparkprof {

struct LoadedHistory;

// Cache of the state behind Spark's REST API, one per requested event log, bounded by memory; evicts the least recently
// used. Thread-safe.
class HistoryCache {
 public:
  explicit HistoryCache(uint64_t max_bytes) : max_bytes_(max_bytes) {}

  // Reads the log if it is new or has changed; concurrent requests read it once. A frequently changing log is reread
  // only after ten times its reading time.
  Result<std::shared_ptr<LoadedHistory>> Get(const EventLogFiles& log);

  uint64_t Bytes() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Slot {
    uint64_t Bytes() const;

    std::mutex mutex;  // held while the log is read
    std::string version;
    std::shared_ptr<LoadedHistory> loaded;
    uint64_t history_bytes = 0;
    uint64_t last_use = 0;
    Clock::time_point loaded_at;
    Clock::duration load_time{};
  };

  void Trim();

  const uint64_t max_bytes_;
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::shared_ptr<Slot>> slots_;  // key: application and attempt
  uint64_t uses_ = 0;
};

}  // namespace sparkprof
