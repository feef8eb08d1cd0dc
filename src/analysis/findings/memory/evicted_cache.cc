// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/memory/cache_reads.h"
#include "analysis/findings/rules.h"
#include "analysis/machines/executor_memory.h"

namespace sparkprof {
namespace {

constexpr int64_t kManyBlocks = 5;
constexpr double kStorageFull = 0.8;  // share of the memory for storage and execution
constexpr double kAsLong = 0.4;       // relative to the stage that computed the data
constexpr size_t kManyReads = 3;      // stages, including the one that computes the data

struct Evictions {
  int64_t dropped = 0;             // evicted blocks
  int64_t not_kept = 0;            // blocks that did not fit
  const CachedRdd* rdd = nullptr;  // the RDD with the most such blocks, by events
  int64_t missing = 0;             // its missing blocks

  int64_t All() const { return dropped + not_kept; }
};

Evictions EvictionsIn(const LogRecords& logs) {
  const auto has = [](std::string_view text, std::string_view part) { return Contains(text, part); };
  Evictions evictions;
  for (const LogTemplate& message : logs.templates) {
    if (has(message.text, "Dropping block") && has(message.text, "from memory")) evictions.dropped += message.count;
    if (has(message.text, "Not enough space to cache")) evictions.not_kept += message.count;
  }
  return evictions;
}

// Stages that computed or read all partitions of the RDD.
int64_t WholeReads(const Application& application, const CachedRdd& rdd) {
  return std::ranges::count_if(application.stages, [&](const Stage& stage) {
    return stage.status == RunStatus::kSucceeded && stage.task_count >= rdd.partition_count &&
           Contains(rdd.stages, stage.id);
  });
}

// From block updates. Partitions that were never stored did not fit, if several stages needed all of them.
Evictions EvictionsIn(const Application& application) {
  Evictions evictions;
  for (const CachedRdd& rdd : application.cached_rdds) {
    if (!rdd.in_memory || rdd.stored.empty()) continue;
    int64_t most_stored = 0;
    for (const StoredBlocks& stored : rdd.stored) most_stored = std::max(most_stored, stored.partitions);
    int64_t never = std::max<int64_t>(0, rdd.partition_count - most_stored);
    const bool is_wanted =
        never > 0 && rdd.stages.size() > 1 && (rdd.evicted_blocks > 0 || WholeReads(application, rdd) > 1);
    if (!is_wanted) never = 0;
    evictions.dropped += rdd.evicted_blocks;
    evictions.not_kept += never;
    const int64_t missing = std::max(rdd.evicted_blocks, never);
    if (missing > evictions.missing) {
      evictions.missing = missing;
      evictions.rdd = &rdd;
    }
  }
  return evictions;
}

// Largest share of an executor's memory for storage and execution that is storage, from peaks of tasks.
double FullestStorage(const Application& application) {
  double fullest = 0;
  for (const Executor& executor : application.executors) {
    for (const auto& [name, bytes] : executor.peak_metrics) {
      if (name == "OnHeapStorageMemory") fullest = std::max(fullest, Share(bytes, executor.max_memory_bytes));
    }
  }
  return fullest;
}

// For inputs without block events or messages: the storage is full, and stages that read data cached in memory take as
// long as the stage that computed it.
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
    finding.what = fmt::format(
        "{} stages read {}, which is kept in memory only, and take about as long as the one that computed it",
        later.size(), ShortRddName(rdd.name));
    finding.evidence = fmt::format(
        "{} for the first stage, {} on average for the others; storage fills {} of the memory for storage and "
        "execution",
        FormatDuration(first_ns), FormatDuration(static_cast<int64_t>(each)), FormatShare(full));
    finding.condition = fmt::format(
        "Storage fills at least {} of the memory, and stages that read data kept in memory only take at least {} of "
        "the time of the stage that computed it",
        FormatShare(kStorageFull), FormatShare(kAsLong));
    finding.selection.event = EventName(Event::kCpu);
    finding.stages = later;
    finding.change = fmt::format(
        "Use MEMORY_AND_DISK, cache fewer columns and rows, unpersist() data that is no longer needed, or {}",
        MoreMemoryAdvice(application));
    finding.claim = ClaimStages(input, later, later_ns, kHalf);
    return finding;
  }
  return std::nullopt;
}

// Stages after the first one that recomputed blocks which did not fit into memory, by text logs, and the share of
// blocks that they needed.
struct Recomputed {
  std::vector<int64_t> stages;
  double share = 0;
};

// Times of records about RDD blocks whose template starts with `begin`.
std::vector<int64_t> TimesOfBlocks(const Application& application, std::string_view begin) {
  std::vector<int64_t> times_ns;
  ForEachRecord(application.logs, begin, [&](std::string_view text, int64_t time_ns) {
    if (Contains(text, " rdd_")) times_ns.push_back(time_ns);
  });
  return times_ns;
}

Recomputed RecomputedIn(const Application& application) {
  // Blocks that go to disk are read from there.
  if (!HasOnlyLogs(application) || !TimesOfBlocks(application, "Persisting block ").empty()) return {};
  const std::vector<int64_t> refused_ns = TimesOfBlocks(application, "Not enough space to cache ");
  Recomputed recomputed{StagesAt(application, refused_ns)};
  if (recomputed.stages.size() < 2) return {};
  std::ranges::sort(recomputed.stages);
  // The first stage computes the data in any case.
  recomputed.stages.erase(recomputed.stages.begin());
  const auto first = std::ranges::find_if(application.stages,
                                          [&](const Stage& stage) { return stage.id == recomputed.stages.front(); });
  const auto again = std::ranges::count_if(refused_ns, [&](int64_t time_ns) { return time_ns >= first->submit_ns; });
  const auto found = static_cast<int64_t>(TimesOfBlocks(application, "Found block ").size());
  recomputed.share = Share(again, again + found);
  return recomputed;
}

std::optional<Finding> FindDiskOnly(const FindingInput& input) {
  const Application& application = input.application;
  for (const CachedRdd& rdd : application.cached_rdds) {
    if (!rdd.on_disk || rdd.in_memory || rdd.stages.size() < kManyReads) continue;
    const std::vector<int64_t> later = ReadersOf(application, rdd);
    if (later.size() + 1 < kManyReads) continue;
    // Python rows are bytes in memory and on disk.
    if (rdd.name.starts_with("PythonRDD")) continue;
    const int64_t later_ns = TimeOfStages(input, later);
    // Data that exceeds the memory belongs on disk.
    const int64_t memory = StorageMemory(application);
    if (later_ns < kWorthwhileNs || (memory > 0 && rdd.peak_disk_bytes > memory)) continue;
    Finding finding;
    finding.title = fmt::format("{} stages read data that is cached on disk only", later.size());
    finding.what = fmt::format("{} is persisted as DISK_ONLY: each stage reads it from disk and deserializes it",
                               ShortRddName(rdd.name));
    finding.evidence =
        fmt::format("the {} stages after the one that computed it take {}", later.size(), FormatDuration(later_ns));
    finding.condition =
        fmt::format("At least {} stages ran with data that is kept on disk and not in memory", kManyReads);
    finding.selection.event = EventName(Event::kCpu);
    finding.stages = later;
    finding.change = "Use MEMORY_AND_DISK, which reads from disk only what does not fit into memory";
    // The share of reading is unknown.
    finding.claim = ClaimStages(input, later, later_ns, kSome);
    return finding;
  }
  return std::nullopt;
}

// For inputs without block events or messages: stages read the source of cached partitions again.
std::optional<Finding> FindComputedAgain(const FindingInput& input) {
  const RecomputedPartitions again = FindRecomputedPartitions(input);
  if (again.rdd == nullptr || again.partitions < kManyBlocks) return std::nullopt;
  int64_t task_ns = 0;
  Finding finding;
  for (const uint32_t task : again.tasks) {
    const int64_t duration_ns = input.application.tasks.Column(TaskMetric::kDuration)[task];
    task_ns += duration_ns;
    finding.claim.tasks.push_back({task, duration_ns});
  }
  finding.claim.removal = kMost;
  finding.title = fmt::format("{} of {} cached partitions do not fit into memory: {} later stage{} them again",
                              CountText(again.partitions), CountText(again.rdd->partition_count), again.stages.size(),
                              again.stages.size() == 1 ? " computes" : "s compute");
  finding.what = fmt::format("{} is kept in memory only. Tasks of later stages read the data that it was computed from",
                             ShortRddName(again.rdd->name));
  finding.evidence = fmt::format("{} of task time in {} that read as many bytes as those that filled the cache",
                                 FormatDuration(task_ns), Counted(static_cast<int64_t>(again.tasks.size()), "task"));
  finding.condition = fmt::format(
      "Of data that is kept in memory only, later stages compute at least {} partitions again: their tasks read as "
      "many bytes as those that computed the partitions first",
      kManyBlocks);
  finding.selection.event = EventName(Event::kCpu);
  finding.stages = again.stages;
  finding.change =
      fmt::format("Use MEMORY_AND_DISK, cache fewer columns and rows, unpersist() data that is no longer needed, or {}",
                  MoreMemoryAdvice(input.application));
  return finding;
}

// "5 blocks of cached data were evicted, and 3 could not be kept"
std::string WhatLacks(const Evictions& evictions) {
  if (evictions.dropped == 0)
    return fmt::format("{} of cached data could not be kept", Counted(evictions.not_kept, "block"));
  const std::string dropped = fmt::format("{} of cached data were evicted", Counted(evictions.dropped, "block"));
  if (evictions.not_kept == 0) return dropped;
  return fmt::format("{}, and {} could not be kept", dropped, CountText(evictions.not_kept));
}

}  // namespace

std::optional<Finding> FindEvictedCaches(const FindingInput& input) {
  const Application& application = input.application;
  if (std::optional<Finding> full = FindFullStorage(input)) return full;
  if (std::optional<Finding> on_disk = FindDiskOnly(input)) return on_disk;
  const Evictions by_events = EvictionsIn(application), by_logs = EvictionsIn(application.logs);
  const Evictions& evictions = by_events.All() >= by_logs.All() ? by_events : by_logs;
  if (evictions.All() < kManyBlocks) return FindComputedAgain(input);
  const CachedRdd* const rdd = evictions.rdd;
  const bool is_computed_again = rdd != nullptr && !rdd->on_disk;
  Finding finding;
  finding.title = fmt::format("Cached data does not fit into memory: {}", Counted(evictions.All(), "block"));
  finding.what = fmt::format("{}; they are {} whenever they are needed", WhatLacks(evictions),
                             rdd == nullptr      ? "read from disk or computed again"
                             : is_computed_again ? "computed again"
                                                 : "read from disk");
  finding.evidence = rdd == nullptr ? std::string("messages of the executors' memory store")
                                    : fmt::format("{} of {} of {} {}", CountText(evictions.missing),
                                                  Counted(rdd->partition_count, "partition"), ShortRddName(rdd->name),
                                                  rdd->evicted_blocks > 0 ? "were evicted" : "were never in memory");
  finding.condition = fmt::format(
      "A recording, an event log or text logs report at least {} blocks that were evicted from memory or did not fit",
      kManyBlocks);
  finding.selection.event = EventName(Event::kCpu);
  finding.change =
      fmt::format("Cache fewer columns and rows, unpersist() data that is no longer needed, {}or {}",
                  rdd == nullptr || is_computed_again ? "use MEMORY_AND_DISK, " : "", MoreMemoryAdvice(application));
  if (rdd == nullptr) {
    const Recomputed recomputed = RecomputedIn(application);
    if (recomputed.stages.empty()) return finding;
    finding.stages = recomputed.stages;
    finding.evidence +=
        fmt::format("; later stages compute {} of the blocks that they need again", FormatShare(recomputed.share));
    const auto again_ns = Scaled(TimeOfStages(input, finding.stages), recomputed.share);
    finding.claim = ClaimStages(input, finding.stages, again_ns, kHalf);
    return finding;
  }
  if (rdd->stages.size() < 2) return finding;
  finding.stages.assign(rdd->stages.begin() + 1, rdd->stages.end());
  // Each later stage recomputes the missing part, at that share of the first stage's time.
  const auto again_ns =
      Scaled(TimeOfStages(input, {rdd->stages.front()}), std::min(1.0, Share(evictions.missing, rdd->partition_count)));
  int64_t all_ns = 0;
  for (const int64_t stage : finding.stages) all_ns += std::min(again_ns, TimeOfStages(input, {stage}));
  finding.claim = ClaimStages(input, finding.stages, all_ns, kMost);
  return finding;
}

}  // namespace sparkprof
