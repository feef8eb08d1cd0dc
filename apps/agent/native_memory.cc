// SPDX-License-Identifier: Apache-2.0
#include "native_memory.h"

#include <algorithm>
#include <map>
#include <utility>

namespace sparkprof {
namespace {

// Ticks are CLOCK_MONOTONIC.
constexpr int64_t kLongestDelayNs = 1'000'000;

// Maps threads to positions in a batch, and adds missing ones.
class BatchThreads {
 public:
  explicit BatchThreads(SampleBatch* batch) : batch_(batch) {
    for (size_t row = 0; row < batch->threads.size(); ++row) {
      rows_.emplace(batch->threads[row].tid, static_cast<uint32_t>(row));
    }
  }

  uint32_t Of(int64_t tid, std::string_view name) {
    const auto [row, is_new] = rows_.try_emplace(tid, static_cast<uint32_t>(batch_->threads.size()));
    if (is_new) batch_->threads.push_back({tid, batch_->strings.Intern(name)});
    return row->second;
  }

 private:
  SampleBatch* batch_;
  std::map<int64_t, uint32_t> rows_;
};

}  // namespace

void NativeMemory::AddReleases(SampleBatch* batch) {
  // Calls are in order per thread only.
  std::vector<Call> calls = std::exchange(calls_, {});
  std::stable_sort(calls.begin(), calls.end(), [](const Call& a, const Call& b) { return a.ticks < b.ticks; });
  BatchThreads threads(batch);
  StackCopier from_kept(kept_, static_cast<StackTables*>(batch));
  std::vector<uint64_t> added;
  const auto release = [&](const Allocation& allocation, int64_t bucket) {
    SegmentSample row = allocation.row;
    row.event = Event::kFree;
    row.bucket = bucket;
    if (!allocation.is_new) {
      row.stack = from_kept.Copy(row.stack);
      row.thread = threads.Of(allocation.thread.tid, kept_.strings.Get(allocation.thread.name));
    }
    batch->samples.Add(row);
  };
  for (const Call& call : calls) {
    const auto found = live_.find(call.address);
    if (call.frees) {
      if (found == live_.end()) continue;
      if (found->second.awaits_release && call.ticks - found->second.ticks < kLongestDelayNs) {
        found->second.awaits_release = false;
        continue;
      }
      release(found->second, call.row.bucket);
      live_.erase(found);
      continue;
    }
    const bool was_live = found != live_.end();
    if (was_live) release(found->second, call.row.bucket);
    if (!was_live && live_.size() >= kMax) {
      ++dropped_;
      continue;
    }
    live_[call.address] = {.ticks = call.ticks, .row = call.row, .is_new = true, .awaits_release = was_live};
    added.push_back(call.address);
  }
  StackCopier to_kept(static_cast<const StackTables&>(*batch), &kept_);
  for (const uint64_t address : added) {
    const auto found = live_.find(address);
    if (found == live_.end() || !found->second.is_new) continue;
    Allocation& allocation = found->second;
    const Thread& thread = batch->threads[allocation.row.thread];
    allocation.thread = {thread.tid, kept_.strings.Intern(batch->strings.Get(thread.name))};
    allocation.row.stack = to_kept.Copy(allocation.row.stack);
    allocation.is_new = false;
  }
}

}  // namespace sparkprof
