// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "analysis/findings/advice.h"
#include "analysis/findings/plan_operator.h"
#include "analysis/findings/rules.h"
#include "base/text.h"

namespace sparkprof {
namespace {

constexpr int64_t kManyBlocks = 5;
constexpr size_t kCacheNameLength = 80;
constexpr double kStorageFull = 0.8;   // of the memory for storage and execution
constexpr double kAsLong = 0.4;        // of the time of the stage that computed the data
constexpr double kMostOfStages = 0.5;  // of those that read the cache again, for blocks that are computed again

struct Evictions {
  int64_t dropped = 0;             // blocks of cached data that left the memory
  int64_t not_kept = 0;            // that did not get into it
  const CachedRdd* rdd = nullptr;  // with the most evicted blocks, by the event log

  int64_t All() const { return dropped + not_kept; }
};

Evictions EvictionsIn(const LogRecords& logs) {
  const auto has = [](std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
  };
  Evictions evictions;
  for (const LogTemplate& message : logs.templates) {
    if (has(message.text, "Dropping block") && has(message.text, "from memory")) evictions.dropped += message.count;
    if (has(message.text, "Not enough space to cache")) evictions.not_kept += message.count;
  }
  return evictions;
}

// By updates of blocks. Partitions that were never stored did not fit.
Evictions EvictionsIn(const std::vector<CachedRdd>& rdds) {
  Evictions evictions;
  for (const CachedRdd& rdd : rdds) {
    if (!rdd.in_memory || rdd.stored.empty()) continue;
    int64_t most_stored = 0;
    for (const StoredBlocks& stored : rdd.stored) most_stored = std::max(most_stored, stored.partitions);
    evictions.dropped += rdd.evicted_blocks;
    // Only a later stage that reads it shows that all of it was wanted.
    if (rdd.evicted_blocks > 0 && rdd.stages.size() > 1)
      evictions.not_kept += std::max<int64_t>(0, rdd.partition_count - most_stored);
    if (rdd.evicted_blocks > 0 && (evictions.rdd == nullptr || rdd.evicted_blocks > evictions.rdd->evicted_blocks))
      evictions.rdd = &rdd;
  }
  return evictions;
}

// The fullest storage memory of an executor, a share of what it has for storage and execution; by peaks of tasks.
double FullestStorage(const Application& application) {
  double fullest = 0;
  for (const Executor& executor : application.executors) {
    for (const auto& [name, bytes] : executor.peak_metrics) {
      if (name == "OnHeapStorageMemory") fullest = std::max(fullest, Share(bytes, executor.max_memory_bytes));
    }
  }
  return fullest;
}

// Where no event and no message shows blocks: the storage is full, and stages that read data kept in memory only take
// as long as the one that computed it.
std::optional<Finding> FindFullStorage(const FindingInput& input) {
  const Application& application = input.application;
  const double full = FullestStorage(application);
  if (full < kStorageFull || EvictionsIn(application.logs).All() > 0) return std::nullopt;
  for (const CachedRdd& rdd : application.cached_rdds) {
    if (!rdd.in_memory || rdd.on_disk || !rdd.stored.empty() || rdd.stages.size() < 3) continue;
    const std::vector<int64_t> later(rdd.stages.begin() + 1, rdd.stages.end());
    const int64_t first_ns = TimeOfStages(input, {rdd.stages.front()}), later_ns = TimeOfStages(input, later);
    const double each = static_cast<double>(later_ns) / static_cast<double>(later.size());
    if (first_ns < kWorthwhileNs || each < kAsLong * static_cast<double>(first_ns)) continue;
    Finding finding;
    finding.title = "Cached data does not fit into memory, and is most likely computed again";
    finding.confidence = 0.6;
    finding.what = fmt::format(
        "{} stages read {}, which is kept in memory only, and take about as long as the one that "
        "computed it",
        later.size(), Shorten(ToOneLine(rdd.name), kCacheNameLength));
    finding.evidence = fmt::format(
        "{} for the first stage, {} on average for the others; storage fills {} of the memory "
        "for storage and execution",
        FormatDuration(first_ns), FormatDuration(static_cast<int64_t>(each)), FormatShare(full));
    finding.condition = fmt::format(
        "Storage fills at least {} of the memory, and stages that read data kept in memory only take at least {} of "
        "the "
        "time of the stage that computed it",
        FormatShare(kStorageFull), FormatShare(kAsLong));
    finding.selection.event = EventName(Event::kCpu);
    finding.stages = later;
    finding.change = fmt::format(
        "Use MEMORY_AND_DISK, cache fewer columns and rows, unpersist() data that is no longer "
        "needed, or {}",
        MoreMemoryAdvice(application));
    finding.gain_ns = later_ns / 2;
    finding.gain_low = 0.4;
    finding.gain_high = 1.6;
    return finding;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Finding> FindEvictedCaches(const FindingInput& input) {
  const Application& application = input.application;
  if (std::optional<Finding> full = FindFullStorage(input)) return full;
  const Evictions by_events = EvictionsIn(application.cached_rdds), by_logs = EvictionsIn(application.logs);
  const Evictions& evictions = by_events.All() >= by_logs.All() ? by_events : by_logs;
  if (evictions.All() < kManyBlocks) return std::nullopt;
  const CachedRdd* const rdd = evictions.rdd;
  const bool is_computed_again = rdd != nullptr && !rdd->on_disk;
  Finding finding;
  finding.title = fmt::format("Cached data does not fit into memory: {}", Counted(evictions.All(), "block"));
  finding.confidence = 0.8;
  finding.what = fmt::format(
      "{} of cached data were evicted, and {} could not be kept; they are {} whenever they are "
      "needed",
      Counted(evictions.dropped, "block"), CountText(evictions.not_kept),
      rdd == nullptr      ? "read from disk or computed again"
      : is_computed_again ? "computed again"
                          : "read from disk");
  finding.evidence = rdd == nullptr ? std::string("messages of the executors' memory store")
                                    : fmt::format("{} of {} were evicted of {}", CountText(rdd->evicted_blocks),
                                                  Counted(rdd->partition_count, "partition"),
                                                  Shorten(ToOneLine(rdd->name), kCacheNameLength));
  finding.condition = fmt::format(
      "The event log or text logs report at least {} blocks that were evicted from memory or did not fit", kManyBlocks);
  finding.selection.event = EventName(Event::kCpu);
  finding.change =
      fmt::format("Cache fewer columns and rows, unpersist() data that is no longer needed, {}or {}",
                  rdd == nullptr || is_computed_again ? "use MEMORY_AND_DISK, " : "", MoreMemoryAdvice(application));
  if (rdd == nullptr || rdd->stages.size() < 2) return finding;
  // The first stage computes the data in any case.
  finding.stages.assign(rdd->stages.begin() + 1, rdd->stages.end());
  const double evicted = std::min(1.0, Share(rdd->evicted_blocks, rdd->partition_count));
  finding.gain_ns =
      static_cast<int64_t>(static_cast<double>(TimeOfStages(input, finding.stages)) * evicted * kMostOfStages);
  finding.gain_low = 0.1;
  finding.gain_high = 2;
  return finding;
}

}  // namespace sparkprof
