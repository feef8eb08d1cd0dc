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

}  // namespace

std::optional<Finding> FindEvictedCaches(const FindingInput& input) {
  const Application& application = input.application;
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
