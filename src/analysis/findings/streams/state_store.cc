// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/rules.h"
#include "analysis/findings/streams/stream_pace.h"
#include "analysis/machines/executor_memory.h"

namespace sparkprof {
namespace {

constexpr size_t kFewestBatches = 3;                    // batches with rows
constexpr int64_t kSlowBatchNs = 10 * kNanosPerSecond;  // with slow batches, fewer suffice
constexpr double kMuchState = 0.3;                      // share of the batches' time on all cores
constexpr double kMuchReplay = 0.1;                     // share of loads of HDFS-backed state
constexpr int64_t kManyReplays = 20;                    // loads
constexpr double kManyCacheMisses = 0.5;
constexpr int64_t kManyStateReads = 100'000;
constexpr int64_t kLargeStateBytes = int64_t{1} << 30;  // bytes in the heap
constexpr double kLargeState = 0.25;                    // share of the heaps

using StreamBatches = std::vector<const StreamingBatch*>;

int64_t SumOfState(const StreamBatches& batches, std::string_view metric) {
  int64_t sum = 0;
  for (const StreamingBatch* batch : batches) {
    for (const auto& [name, value] : batch->state_metrics) sum += name == metric ? value : 0;
  }
  return sum;
}

int64_t LastOfState(const StreamBatches& batches, std::string_view metric) {
  return SumOfState({batches.back()}, metric);
}

bool UsesRocksDb(const StreamBatches& batches) {
  const auto& metrics = batches.back()->state_metrics;
  return std::ranges::any_of(metrics, [](const auto& one) { return one.first.starts_with("rocksdb"); });
}

// The longest part of RocksDB's commit; "rocksdbCommitFileSyncLatencyMs" is the upload.
std::string PartOfCommit(const StreamBatches& batches) {
  struct Part {
    std::string_view metric;
    std::string_view name;
  };
  constexpr Part kParts[] = {{"rocksdbCommitFileSyncLatencyMs", "uploading files"},
                             {"rocksdbCommitCompactLatency", "compaction"},
                             {"rocksdbCommitFlushLatency", "flushing"},
                             {"rocksdbCommitWriteBatchLatency", "writing changes"},
                             {"rocksdbCommitPauseLatency", "waiting for background work"},
                             {"rocksdbCommitCheckpointLatency", "its checkpoint"}};
  std::string_view longest;
  int64_t most_ms = 0;
  for (const Part& part : kParts) {
    const int64_t ms = SumOfState(batches, part.metric);
    if (ms > most_ms) most_ms = ms, longest = part.name;
  }
  return longest.empty()
             ? std::string()
             : fmt::format("; most of the commit is {}, {}", longest, FormatDuration(most_ms * kNanosPerMilli));
}

struct StreamState {
  const StreamingQuery* query = nullptr;
  StreamBatches batches;
  int64_t commit_ns = 0;  // task time, like the others
  int64_t update_ns = 0;
  int64_t removal_ns = 0;
  int64_t duration_ns = 0;  // duration of the batches

  int64_t All() const { return commit_ns + update_ns + removal_ns; }
};

StreamState WorstState(const Application& application) {
  StreamState worst;
  for (size_t row = 0; row < application.streaming_queries.size(); ++row) {
    StreamState state{&application.streaming_queries[row], BatchesWithRows(application, static_cast<int32_t>(row))};
    const bool has_long_batch = std::ranges::any_of(
        state.batches, [](const StreamingBatch* batch) { return batch->duration_ns >= kSlowBatchNs; });
    if (state.batches.size() < kFewestBatches && !has_long_batch) continue;
    state.commit_ns = SumOfState(state.batches, "commitTimeMs") * kNanosPerMilli;
    state.update_ns = SumOfState(state.batches, "allUpdatesTimeMs") * kNanosPerMilli;
    state.removal_ns = SumOfState(state.batches, "allRemovalsTimeMs") * kNanosPerMilli;
    for (const StreamingBatch* batch : state.batches) state.duration_ns += batch->duration_ns;
    if (state.All() > worst.All()) std::swap(worst, state);
  }
  return worst;
}

// Configured bytes of the heaps that run tasks; 0 = unknown.
int64_t HeapsOf(const Application& application) {
  if (application.environment.empty()) return 0;
  const bool is_local = IsLocal(application);
  const int64_t each =
      MemorySetting(application, is_local ? "spark.driver.memory" : "spark.executor.memory").value_or(kDefaultHeap);
  const auto count = std::ranges::count_if(
      application.executors, [&](const Executor& executor) { return is_local || executor.id != "driver"; });
  return each * static_cast<int64_t>(count);
}

bool FillsHeaps(const Application& application, const StreamBatches& batches) {
  const int64_t bytes = batches.back()->state_bytes;
  return !UsesRocksDb(batches) && (bytes >= kLargeStateBytes || Share(bytes, HeapsOf(application)) >= kLargeState);
}

int64_t GcTime(const FindingInput& input) {
  int64_t gc_ns = 0;
  for (const StageSummary& stage : input.stages) AddSaturated(stage.Total(TaskMetric::kGcTime), &gc_ns);
  return gc_ns / input.cores;
}

// Problems of the store itself: how often it was loaded from its checkpoint, or read from disk.
std::string TroubleOf(const Application& application, const StreamBatches& batches, std::string* change) {
  const int64_t loads =
      LastOfState(batches, "loadedMapCacheHitCount") + LastOfState(batches, "loadedMapCacheMissCount");
  const int64_t replays = LastOfState(batches, "loadedMapCacheMissCount");
  if (replays >= kManyReplays && Share(replays, loads) >= kMuchReplay) {
    *change =
        "Keep tasks on the executors that have their state (no dynamic allocation, a longer spark.locality.wait), or "
        "use RocksDB, which loads snapshots";
    return fmt::format("; {} of {} loads read the state from its checkpoint again", CountText(replays),
                       CountText(loads));
  }
  const int64_t misses = SumOfState(batches, "rocksdbReadBlockCacheMissCount");
  const int64_t reads = misses + SumOfState(batches, "rocksdbReadBlockCacheHitCount");
  if (reads >= kManyStateReads && Share(misses, reads) >= kManyCacheMisses) {
    *change = "Increase spark.sql.streaming.stateStore.rocksdb.blockCacheSizeMB, or use more memory for each executor";
    return fmt::format("; {} of {} reads miss RocksDB's block cache", FormatShare(Share(misses, reads)),
                       CountText(reads));
  }
  if (FillsHeaps(application, batches)) {
    *change =
        "Use RocksDB (spark.sql.streaming.stateStore.providerClass), which keeps the state outside of the heap, and a "
        "watermark that drops old rows";
    return fmt::format("; the state takes {} of the executors' heaps", FormatBytes(batches.back()->state_bytes));
  }
  return {};
}

// The tasks of the stage of a stream's batches that takes most of their time: coalesce() leaves few tasks for many
// stores.
int64_t TasksOfBatches(const FindingInput& input) {
  const std::vector<int64_t> ids = StagesOfBatches(input.application);
  int64_t tasks = 0, most_ns = -1;
  for (size_t row = 0; row < input.stages.size(); ++row) {
    const Stage& stage = input.application.stages[row];
    if (!Contains(ids, stage.id)) continue;
    const int64_t run_ns = input.stages[row].Total(TaskMetric::kExecutorRunTime);
    if (run_ns > most_ns) most_ns = run_ns, tasks = stage.task_count;
  }
  return tasks;
}

// The number of a stream's state stores if each has few rows and each core many of them; otherwise 0.
int64_t ManySmallStores(const FindingInput& input, const StreamBatches& batches) {
  constexpr int64_t kFewRows = 1'000, kManyStoresPerCore = 4;
  const int64_t known = LastOfState(batches, "numStateStoreInstances");  // unknown before Spark 3.2
  const int64_t stores = known > 0 ? known : TasksOfBatches(input);
  return stores > kManyStoresPerCore * input.cores && batches.back()->state_rows < kFewRows * stores ? stores : 0;
}

// The operator that calls a function of the program for each key of a state; empty = none.
std::string_view FunctionOfState(const Application& application) {
  for (const SqlExecution& sql : application.sql_executions) {
    for (const PlanOperator& one : OperatorsOf(sql.plan)) {
      if (Contains(one.kind, "WithState")) return one.plan->name;
    }
  }
  return {};
}

// The time of updates includes that function.
void ExplainFunction(const StreamState& state, std::string_view operator_name, Finding* finding) {
  const int64_t keys = SumOfState(state.batches, "numRowsUpdated");
  const bool is_python = Contains(operator_name, "Pandas") || Contains(operator_name, "Py");
  finding->title = fmt::format("Streaming query {}: its function for state takes {} of task time", NameOf(*state.query),
                               FormatDuration(state.update_ns));
  if (keys > 0) {
    finding->title = fmt::format("Streaming query {}: its function for state takes {} for each key",
                                 NameOf(*state.query), FormatDuration(state.update_ns / keys));
    finding->evidence +=
        fmt::format("; {} calls of the function for {} of task time", CountText(keys), FormatDuration(state.update_ns));
  }
  finding->what += fmt::format(". {} calls a function of the program for each key of a batch", operator_name);
  finding->change = fmt::format(
      "Use a built-in aggregation (groupBy().agg() in update mode) if the function counts, adds up or keeps extremes. "
      "Otherwise {}make batches larger and fewer, so that a key gets its rows in one call",
      is_python ? "use plain Python instead of pandas for the few rows of a key, and " : "");
}

}  // namespace

std::optional<Finding> FindSlowStateStores(const FindingInput& input) {
  const StreamState state = WorstState(input.application);
  if (state.query == nullptr) return std::nullopt;
  const int64_t tasks = TasksOfBatches(input);
  const int64_t state_ns = state.All() / (tasks > 0 ? std::min(tasks, input.cores) : input.cores);
  const double share = std::min(1.0, Share(state_ns, state.duration_ns));
  std::string change;
  const std::string trouble = TroubleOf(input.application, state.batches, &change);
  const bool is_slow = share >= kMuchState && state_ns >= kWorthwhileNs;
  if (!is_slow && trouble.empty()) return std::nullopt;
  Finding finding;
  const StreamingBatch& last = *state.batches.back();
  const bool knows_cores = PeakCores(input.application) > 0;  // false for progress without an application
  finding.title = fmt::format("Streaming query {}: its state store takes {}", NameOf(*state.query),
                              knows_cores ? fmt::format("{} of the batches' time", FormatShare(share))
                                          : fmt::format("{} of task time", FormatDuration(state.All())));
  finding.what =
      fmt::format("Tasks commit state for {}, update it for {} and remove rows for {}, of {} of batches on {}",
                  FormatDuration(state.commit_ns), FormatDuration(state.update_ns), FormatDuration(state.removal_ns),
                  FormatDuration(state.duration_ns),
                  knows_cores ? Counted(input.cores, "core") : std::string("an unknown number of cores"));
  finding.evidence = fmt::format("{} rows and {} of state after the last of {} batches with rows{}{}",
                                 CountText(last.state_rows), FormatBytes(last.state_bytes), state.batches.size(),
                                 UsesRocksDb(state.batches) ? PartOfCommit(state.batches) : std::string(), trouble);
  finding.condition = fmt::format(
      "In at least {} batches with rows, or one of {}, the state stores of a streaming query take at least {} of the "
      "time on all cores; or at least {} of the loads of its state read the checkpoint, {} of the reads miss RocksDB's "
      "block cache, or the heaps hold {} of state or are filled to {} with it",
      kFewestBatches, FormatDuration(kSlowBatchNs), FormatShare(kMuchState), FormatShare(kMuchReplay),
      FormatShare(kManyCacheMisses), FormatBytes(kLargeStateBytes), FormatShare(kLargeState));
  finding.selection.event = EventName(Event::kCpu);
  const bool is_of_updates = change.empty() && state.update_ns > state.commit_ns;
  // Without a watermark, rows are never removed.
  const bool is_bounded = state.removal_ns > 0;
  if (is_of_updates) {
    change = is_bounded ? "Keep less for each row of the state: a smaller key, fewer columns, a shorter watermark"
                        : "Keep less state: a watermark that drops old rows (withWatermark), for duplicates "
                          "dropDuplicatesWithinWatermark(), and smaller keys";
    if (!UsesRocksDb(state.batches))
      change += "; or RocksDB (spark.sql.streaming.stateStore.providerClass), which keeps it outside of the heap";
  }
  const std::vector<int64_t> stages = StagesOfBatches(input.application);
  const int64_t gc_ns = FillsHeaps(input.application, state.batches) ? GcTime(input) : 0;
  int64_t slow_ns = is_slow ? state_ns : 0;
  // State bounded by a watermark is the purpose of the query.
  Removal removal = is_of_updates && is_bounded ? kUnsure : kHalf;
  const int64_t stores = change.empty() && is_slow ? ManySmallStores(input, state.batches) : 0;
  if (stores > 0) {
    change = fmt::format(
        "Set spark.sql.shuffle.partitions={}, with a new checkpoint: each batch commits {} state stores, one for each "
        "partition, of {} on average",
        input.cores, CountText(stores), Counted(last.state_rows / stores, "row"));
    // Their tasks have next to nothing else to do.
    slow_ns = std::max(slow_ns, TimeOfStages(input, stages) / stores * (stores - input.cores));
    removal = kMost;
  }
  finding.change =
      !change.empty()
          ? change
          : "Each partition commits its own state in each batch: use fewer spark.sql.shuffle.partitions (with a new "
            "checkpoint), longer triggers, a watermark that drops old rows, and a fast file system for the checkpoint";
  const std::string_view function = is_of_updates ? FunctionOfState(input.application) : std::string_view();
  if (!function.empty()) {
    ExplainFunction(state, function, &finding);
    removal = kHalf;
  }
  finding.claim = ClaimStages(input, stages, std::min(slow_ns + gc_ns, state.duration_ns),
                              knows_cores && IsAlwaysBusy(state.batches) ? removal : kNothing);
  return finding;
}

}  // namespace sparkprof
