// SPDX-License-Identifier: Apache-2.0
#include "server/applications/history_cache.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "history/history_loader.h"
#include "recording/event_log_recording.h"
#include "server/applications/loaded_history.h"

namespace sparkprof {
namespace {

constexpr int kPauseAfterHistory = 10;  // multiple of the loading time

Result<History> Load(const EventLogFiles& log) {
  if (!log.is_recorded) return LoadHistory({log.paths, log.modified_ns});
  const Result<RecordedEventLog> recorded = RecordedEventLog::Read(log.paths, log.attempt);
  if (!recorded) return tl::unexpected(recorded.error());
  return LoadHistory({.files = {}, .modified_ns = log.modified_ns, .open_lines = [&] { return recorded->Open(); }});
}

}  // namespace

uint64_t HistoryCache::Slot::Bytes() const { return loaded == nullptr ? 0 : history_bytes + loaded->answers.Bytes(); }

Result<std::shared_ptr<LoadedHistory>> HistoryCache::Get(const EventLogFiles& log) {
  if (!log.problem.empty()) return Fail(log.problem);
  std::shared_ptr<Slot> slot;
  {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Slot>& place = slots_[{log.id, log.attempt}];
    if (!place) place = std::make_shared<Slot>();
    place->last_use = ++uses_;
    slot = place;
  }
  const std::lock_guard loading(slot->mutex);
  const Clock::time_point begin = Clock::now();
  if (slot->loaded != nullptr) {
    const bool is_recent = begin - slot->loaded_at < kPauseAfterHistory * slot->load_time;
    if (slot->version == log.version || is_recent) return slot->loaded;
  }
  Result<History> read = Load(log);
  if (!read) return tl::unexpected(read.error());
  const auto loaded = std::make_shared<LoadedHistory>(std::move(*read));
  {
    const std::lock_guard lock(mutex_);
    slot->loaded = loaded;
    slot->history_bytes = loaded->history.Bytes();
  }
  slot->version = log.version;
  slot->loaded_at = Clock::now();
  slot->load_time = slot->loaded_at - begin;
  Trim();
  return loaded;
}

uint64_t HistoryCache::Bytes() const {
  const std::lock_guard lock(mutex_);
  uint64_t total = 0;
  for (const auto& [key, slot] : slots_) total += slot->Bytes();
  return total;
}

void HistoryCache::Trim() {
  const std::lock_guard lock(mutex_);
  std::vector<std::tuple<uint64_t, std::string, std::string>> by_use;
  uint64_t total = 0;
  for (const auto& [key, slot] : slots_) {
    if (slot->loaded == nullptr) continue;
    total += slot->Bytes();
    by_use.emplace_back(slot->last_use, key.first, key.second);
  }
  std::sort(by_use.begin(), by_use.end());
  // Keeps the newest history, however large.
  for (size_t oldest = 0; oldest + 1 < by_use.size() && total > max_bytes_; ++oldest) {
    const auto slot = slots_.find({std::get<1>(by_use[oldest]), std::get<2>(by_use[oldest])});
    total -= slot->second->Bytes();
    slots_.erase(slot);
  }
}

}  // namespace sparkprof
