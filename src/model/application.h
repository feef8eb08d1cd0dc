// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/log_records.h"
#include "model/metric_column.h"
#include "model/samples/profile.h"
#include "model/segment/segment.h"
#include "model/task_metrics.h"

namespace sparkprof {

// All data of one Spark application attempt, from its segments and event logs. Filled by src/event_log, src/recording
// and src/loader, read by src/analysis. Tables refer to each other by Spark's IDs or by row; -1 = none. Times are ns
// since the Unix epoch, 0 = unknown or not yet.

enum class TaskOutcome : uint8_t { kRunning = 0, kSucceeded = 1, kFailed = 2, kKilled = 3 };

// Columns of equal length. Rows are in order of first occurrence.
struct Tasks {
  std::vector<int64_t> id;         // TID
  std::vector<int32_t> stage;      // row of Application::stages, -1 = stage unknown
  std::vector<int32_t> index;      // within the stage attempt
  std::vector<int32_t> partition;  // -1 = unknown
  std::vector<int32_t> attempt;
  std::vector<int32_t> executor;   // row of Application::executors, -1 = unknown
  std::vector<int64_t> launch_ns;  // according to the driver, or the start seen by the plugin
  std::vector<int64_t> finish_ns;
  std::vector<TaskOutcome> outcome;
  std::vector<uint8_t> speculative;
  std::vector<uint8_t> locality;  // 0 PROCESS_LOCAL, 1 NODE_LOCAL, 2 NO_PREF, 3 RACK_LOCAL, 4 ANY, 5 unknown
  std::vector<StringId> reason;   // reason of a failure or kill; 0 = none
  std::array<MetricColumn, kTaskMetricCount> metrics;  // ns, bytes or records; 0 if unknown

  size_t Size() const { return id.size(); }
  MetricColumn& Column(TaskMetric metric) { return metrics[static_cast<size_t>(metric)]; }
  const MetricColumn& Column(TaskMetric metric) const { return metrics[static_cast<size_t>(metric)]; }

  // Appends a row with `task_id` and all other values unknown. Returns its position.
  size_t Append(int64_t task_id);
};

enum class RunStatus : uint8_t { kRunning = 0, kSucceeded = 1, kFailed = 2, kPending = 3, kSkipped = 4 };
std::string_view RunStatusName(RunStatus status);  // "running", "succeeded", "failed", "pending", "skipped"

struct Stage {
  int64_t id = -1;
  int64_t attempt = 0;
  std::string name;     // "count at Job.scala:12"
  std::string details;  // call stack of the user's code
  RunStatus status = RunStatus::kRunning;
  int64_t submit_ns = 0;
  int64_t end_ns = 0;
  int64_t job = -1;  // the first job that needed it
  int64_t sql_execution = -1;
  int64_t task_count = 0;  // planned number
  std::string failure;
  std::vector<int64_t> parents;  // stage IDs
  // The RDD program's call that reads all rows of each key from the stage's parents: "groupByKey at Job.scala:12".
  std::string grouped_by;
  int64_t resource_profile = 0;
  // Sums, or maxima of bytes, of an engine's per-task counters ("task" in engines/README.md), by accumulator; ns, bytes
  // or numbers.
  std::vector<std::pair<std::string, int64_t>> engine_metrics;
  // Tasks that succeeded, and ran again because their shuffle output was lost with its executor. Spark's UI counts each
  // as one successful and one failed task.
  int64_t resubmitted_tasks = 0;
};

struct Job {
  int64_t id = -1;
  RunStatus status = RunStatus::kRunning;
  int64_t submit_ns = 0;
  int64_t end_ns = 0;
  std::vector<int64_t> stages;  // stage IDs
  int64_t sql_execution = -1;
  std::string name;  // name of its last stage
  std::string group;
  std::string description;
  std::string call_site;
  std::string failure;
  std::vector<std::string> tags;  // see event_log/tags/job_tags.h
};

struct PlanMetric {
  std::string name;
  std::string type;  // Spark's type: "sum", "size", "timing", "nsTiming", "average"
  int64_t accumulator = -1;
  bool has_value = false;
  double value = 0;  // bytes for size, ns for timing and nsTiming
};

struct PlanNode {
  std::string name;
  std::string text;
  std::vector<PlanMetric> metrics;
  std::vector<int64_t> stages;  // IDs of the stages that contributed to its metrics, ascending; empty = unknown
  std::vector<PlanNode> children;
};

// A version of a plan chosen by adaptive execution during the query.
struct PlanVersion {
  int64_t after_stage = -1;          // ID of the last stage that ended before; -1 = none
  std::vector<std::string> changes;  // changes from the previous version; see plan_operators.h
};

struct SqlExecution {
  int64_t id = -1;
  int64_t root_id = -1;
  std::string description;
  std::string details;  // call site
  std::string plan_text;
  RunStatus status = RunStatus::kRunning;
  std::string failure;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  std::vector<int64_t> jobs;
  PlanNode plan;                           // last version chosen by adaptive execution
  std::vector<PlanVersion> plan_versions;  // versions after the first one that differ from the previous one
  // Settings (name, value) that the program set in its code before the query: Spark's modifiedConfigs.
  std::vector<std::pair<std::string, std::string>> settings;
};

// The part of a cached RDD that executors stored from a point in time on.
struct StoredBlocks {
  int64_t time_ns = 0;
  int64_t partitions = 0;
  int64_t memory_bytes = 0;
  int64_t disk_bytes = 0;

  bool operator==(const StoredBlocks&) const = default;
};

// An RDD, or the rows of a DataFrame, cached by the program with cache() or persist().
struct CachedRdd {
  int64_t id = -1;
  std::string name;        // for a DataFrame, its plan
  bool in_memory = false;  // storage levels
  bool on_disk = false;
  bool off_heap = false;
  bool deserialized = false;
  int64_t replication = 1;
  int64_t partition_count = 0;
  std::vector<int64_t> stages;  // IDs of the stages that ran with it, in the order of the log

  // Set only in recordings, and if the log has block updates (spark.eventLog.logBlockUpdates.enabled, or Spark before
  // 2.3):
  std::vector<StoredBlocks> stored;  // state after changes, in order of time; thinned out if there are very many
  int64_t peak_memory_bytes = 0;
  int64_t peak_disk_bytes = 0;
  int64_t evicted_blocks = 0;  // removed from memory while the RDD was cached and the executor was running
  int64_t lost_blocks = 0;     // lost with their executor
  int64_t unpersist_ns = 0;    // time of unpersist(); 0 = never
};

// An RDD that is not cached although several stages computed it.
struct SharedRdd {
  int64_t id = -1;
  std::string name;
  std::vector<int64_t> stages;  // IDs in the order of the log, without stages that read a cached RDD
};

struct StreamingQuery {
  std::string id;      // stays the same after a restart from a checkpoint
  std::string run_id;  // differs for each run
  std::string name;    // empty if the user set none
  std::string source;  // first source as described by its progress: "FileStreamSource[file:/data/clicks]"
  std::string sink;    // sink as described by its progress: "FileSink[file:/data/sales]"
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  std::string failure;  // error that ended it; empty if it was stopped
};

// A trigger of a streaming query, from its progress event.
struct StreamingBatch {
  int32_t query = -1;  // row of Application::streaming_queries
  int64_t id = -1;
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  int64_t input_rows = 0;                // sum over all sources
  double input_rows_per_second = 0;      // rate since the start of the previous batch
  double processed_rows_per_second = 0;  // rate of this batch
  int64_t state_rows = 0;                // sum over all stateful operators after the batch
  int64_t state_bytes = 0;
  // Sums over all stateful operators, by Spark's names: "commitTimeMs", "rocksdbReadBlockCacheHitCount".
  std::vector<std::pair<std::string, int64_t>> state_metrics;
  int64_t offsets_behind = -1;  // maximum lag behind a source's latest offset; -1 = not reported by the sources
  int64_t watermark_ns = 0;     // event time; 0 = no watermark
  std::vector<std::pair<std::string, int64_t>> phases_ns;  // Spark's durationMs: "addBatch", "queryPlanning"
};

struct Executor {
  std::string id;
  std::string host;
  int64_t cores = 0;
  int64_t add_ns = 0;
  int64_t remove_ns = 0;
  std::string remove_reason;
  int64_t max_memory_bytes = 0;   // for storage and execution
  int64_t resubmitted_tasks = 0;  // Stage::resubmitted_tasks of its tasks
  int64_t resource_profile = 0;
  std::vector<std::pair<std::string, int64_t>> peak_metrics;  // maxima of Spark's executor metrics ("JVMHeapMemory")
};

// Resources of a stage's executors and tasks (Spark's stage-level scheduling); 0 is the application's default.
struct ResourceProfile {
  int64_t id = 0;
  std::string name;                                           // "resourceProfile 1"
  std::vector<std::pair<std::string, std::string>> requests;  // "executor.memory", "4096"
};

struct ApplicationProcess {
  Process process;
  int32_t executor = -1;
};

struct ApplicationSeries {
  std::string name;  // as in docs/series.md
  int32_t executor = -1;
  int32_t process = -1;  // row of processes
  SeriesKind kind = SeriesKind::kGauge;
  std::vector<SeriesPoint> points;  // in order of time
};

struct ApplicationHeapSummary {
  int32_t executor = -1;
  HeapSummary summary;  // names are strings of the profile
};

struct ApplicationNotice {
  int32_t executor = -1;
  Notice notice;
};

// How complete the samples of one event are.
struct Coverage {
  Event event = Event::kCpu;
  int64_t count = 0;
  int64_t weight = 0;
  int64_t on_task_threads = 0;  // part of `count` on task threads, without idle pool threads
  int64_t joined = 0;           // part of `count` that belongs to a task (inside it, or Spark's work around it)
  int64_t lost = 0;             // samples taken or due, but not recorded
};

// Loss::what of text logs that lack parts of their application; Loss::reason names the parts.
inline constexpr std::string_view kExcerptLoss = "log_excerpts";

struct Application {
  std::string id;
  std::string attempt;
  std::string name;
  std::string user;
  std::string spark_version;
  std::string java_version;
  std::string master;
  int64_t start_ns = 0;
  int64_t end_ns = 0;     // end of the application, or of the last event known
  bool ended = false;     // has an application end event
  bool complete = false;  // every source wrote its last segment, and no block is damaged or truncated

  bool is_foreign = false;  // a profile of another tool, without a Spark application
  bool is_node = false;     // one day of a host recorded by `sparkprof monitor`

  Profile profile{.bucket_ns = 1'000'000'000};  // samples, and the strings of all tables

  // Samples of Python processes, which use the profile's tables but are separate from JVM samples;
  // analysis/python/stitch.h merges both.
  std::vector<Sample> python_samples;
  std::vector<Udf> udfs;  // one per task and function
  std::vector<PythonTask> python_tasks;

  Tasks tasks;
  std::vector<Stage> stages;  // one per stage attempt
  std::vector<Job> jobs;
  std::vector<SqlExecution> sql_executions;
  std::vector<CachedRdd> cached_rdds;
  std::vector<SharedRdd> shared_rdds;             // sorted by ID
  std::vector<StreamingQuery> streaming_queries;  // one per run
  std::vector<StreamingBatch> streaming_batches;  // in the order of the log
  std::vector<Executor> executors;
  std::vector<ApplicationProcess> processes;
  std::vector<ApplicationSeries> series;
  std::vector<ApplicationHeapSummary> heap_summaries;  // in order of time
  std::vector<Neighbor> neighbors;                     // other processes on its hosts; not included in any total
  std::vector<Coverage> coverage;
  std::vector<std::pair<std::string, std::vector<std::pair<std::string, std::string>>>>
      environment;  // group, (name, value)
  std::vector<ResourceProfile> resource_profiles;
  std::vector<ApplicationNotice> notices;
  std::vector<Loss> losses;
  std::vector<ProfilerSetting> settings;
  LogRecords logs;
  int64_t unknown_events = 0;  // Spark events of unused kinds
  int64_t damaged_events = 0;  // lines with invalid JSON

  // Adds a warning about the whole application.
  void Warn(int64_t time_ns, std::string text) {
    notices.push_back({-1, {time_ns, NoticeLevel::kWarning, std::move(text)}});
  }

  // The executor of a sample's thread: a row of `executors`, -1 = unknown.
  int32_t ExecutorOf(const Sample& sample) const { return profile.threads[sample.thread].executor; }

  // The row of `tasks` for each row of the profile's tasks; -1 = none.
  std::vector<int32_t> TaskRows() const;
  // Sets stage, attempt and partition of the profile's tasks from `tasks`.
  void FillProfileTasks();

  // Number of executors that can run tasks: the driver, which also has a row in `executors`, counts in local mode only.
  size_t ExecutorCount() const;
};

}  // namespace sparkprof
