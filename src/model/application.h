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
#include "model/profile.h"
#include "model/segment.h"
#include "model/task_metrics.h"

namespace sparkprof {

// The sum of all segments (and event logs) of one Spark application attempt. Filled by src/event_log, src/recording
// and src/loader, read by src/analysis. Tables refer to each other by Spark's ids or by row; -1 = none. Times are ns
// since the Unix epoch, 0 = unknown or not yet.

enum class TaskOutcome : uint8_t { kRunning = 0, kSucceeded = 1, kFailed = 2, kKilled = 3 };

// Columns; all have the same length. Rows in order of first sight.
struct Tasks {
  std::vector<int64_t> id;         // TID
  std::vector<int32_t> stage;      // row of Application::stages, -1 = stage unknown
  std::vector<int32_t> index;      // within the stage attempt
  std::vector<int32_t> partition;  // -1 = unknown
  std::vector<int32_t> attempt;
  std::vector<int32_t> executor;   // row of Application::executors, -1 = unknown
  std::vector<int64_t> launch_ns;  // by the driver, or the start seen by the plugin
  std::vector<int64_t> finish_ns;
  std::vector<TaskOutcome> outcome;
  std::vector<uint8_t> speculative;
  std::vector<uint8_t> locality;  // 0 PROCESS_LOCAL, 1 NODE_LOCAL, 2 NO_PREF, 3 RACK_LOCAL, 4 ANY, 5 unknown
  std::vector<StringId> reason;   // why it failed or was killed, 0 = it did not
  std::array<MetricColumn, kTaskMetricCount> metrics;  // ns, bytes or records; 0 if unknown

  size_t Size() const { return id.size(); }
  MetricColumn& Column(TaskMetric metric) { return metrics[static_cast<size_t>(metric)]; }
  const MetricColumn& Column(TaskMetric metric) const { return metrics[static_cast<size_t>(metric)]; }

  // A new row with `task_id` and everything else unknown; its position.
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
  int64_t task_count = 0;  // as planned
  std::string failure;
  std::vector<int64_t> parents;  // stage ids
  // The call of an RDD program that reads all rows of each key from the stage's parents: "groupByKey at Job.scala:12".
  std::string grouped_by;
  int64_t resource_profile = 0;
  // Sums, or maxima of bytes, of what an engine counts for each task ("task" in engines/README.md), by accumulator; ns,
  // bytes or numbers.
  std::vector<std::pair<std::string, int64_t>> engine_metrics;
  // Tasks that succeeded, and ran again because their shuffle output was lost with its executor. Spark's UI counts each
  // as one task that succeeded and one that failed.
  int64_t resubmitted_tasks = 0;
};

struct Job {
  int64_t id = -1;
  RunStatus status = RunStatus::kRunning;
  int64_t submit_ns = 0;
  int64_t end_ns = 0;
  std::vector<int64_t> stages;  // stage ids
  int64_t sql_execution = -1;
  std::string name;  // of its last stage
  std::string group;
  std::string description;
  std::string call_site;
  std::string failure;
  std::vector<std::string> tags;  // see event_log/job_tags.h
};

struct PlanMetric {
  std::string name;
  std::string type;  // Spark's: "sum", "size", "timing", "nsTiming", "average"
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

// A version of a plan that adaptive execution chose while the query ran.
struct PlanVersion {
  int64_t after_stage = -1;          // ID of the stage that had ended last, -1 = none
  std::vector<std::string> changes;  // from the version before, see plan_change.h
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
  PlanNode plan;                           // the last one that adaptive execution chose
  std::vector<PlanVersion> plan_versions;  // after the first one, those that differ from the one before
  // That the program set in its code before the query, names and values: Spark's modifiedConfigs.
  std::vector<std::pair<std::string, std::string>> settings;
};

// The part of a cached RDD that the executors stored from a point of time on.
struct StoredBlocks {
  int64_t time_ns = 0;
  int64_t partitions = 0;
  int64_t memory_bytes = 0;
  int64_t disk_bytes = 0;

  bool operator==(const StoredBlocks&) const = default;
};

// An RDD, or the rows of a DataFrame, that the program keeps: cache() or persist().
struct CachedRdd {
  int64_t id = -1;
  std::string name;        // of a DataFrame, its plan
  bool in_memory = false;  // the levels of storage
  bool on_disk = false;
  bool off_heap = false;
  bool deserialized = false;
  int64_t replication = 1;
  int64_t partition_count = 0;
  std::vector<int64_t> stages;  // IDs of the stages that ran with it, in the order of the log

  // Only in recordings and where the log has updates of blocks (spark.eventLog.logBlockUpdates.enabled, or Spark before
  // 2.3):
  std::vector<StoredBlocks> stored;  // after changes, in order of time; of very many, some
  int64_t peak_memory_bytes = 0;
  int64_t peak_disk_bytes = 0;
  int64_t evicted_blocks = 0;  // left memory while the program kept the RDD and the executor lived
  int64_t lost_blocks = 0;     // went with their executor
  int64_t unpersist_ns = 0;    // when the program gave it up; 0 = it did not
};

// An RDD that the program does not keep, and that several stages computed.
struct SharedRdd {
  int64_t id = -1;
  std::string name;
  std::vector<int64_t> stages;  // IDs, in the order of the log, without those that read an RDD that is kept
};

// A run of a Structured Streaming query.
struct StreamingQuery {
  std::string id;      // the same after a restart from a checkpoint
  std::string run_id;  // of this run
  std::string name;    // empty if the user gave none
  std::string source;  // its first one, as its progress describes it: "FileStreamSource[file:/data/clicks]"
  std::string sink;    // likewise: "FileSink[file:/data/sales]"
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  std::string failure;  // why it ended; empty if it was stopped
};

// A trigger of a streaming query, as its progress event has it.
struct StreamingBatch {
  int32_t query = -1;  // row of Application::streaming_queries
  int64_t id = -1;
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  int64_t input_rows = 0;                // of all sources
  double input_rows_per_second = 0;      // since the start of the previous batch
  double processed_rows_per_second = 0;  // in this one
  int64_t state_rows = 0;                // of all stateful operators, after the batch
  int64_t state_bytes = 0;
  // Sums over them, by Spark's names: "commitTimeMs", "rocksdbReadBlockCacheHitCount".
  std::vector<std::pair<std::string, int64_t>> state_metrics;
  int64_t offsets_behind = -1;  // at most, behind the latest offset of a source; -1 = the sources do not report it
  int64_t watermark_ns = 0;     // event time; 0 = the query has none
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
  int64_t resubmitted_tasks = 0;  // see Stage
  int64_t resource_profile = 0;
  std::vector<std::pair<std::string, int64_t>>
      peak_metrics;  // Spark's executor metrics ("JVMHeapMemory"), their maxima
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
  int64_t count = 0;  // samples recorded
  int64_t weight = 0;
  int64_t on_task_threads = 0;  // part of `count` on task threads, without idle pool threads
  int64_t joined = 0;           // of count: belong to a task (inside it, or Spark's work around it)
  int64_t lost = 0;             // taken or due, but not recorded
};

struct Application {
  std::string id;
  std::string attempt;
  std::string name;
  std::string user;
  std::string spark_version;
  std::string java_version;
  std::string master;
  int64_t start_ns = 0;
  int64_t end_ns = 0;     // of the application, or of the last thing known about it
  bool ended = false;     // has an application end event
  bool complete = false;  // every source wrote its last segment, and no block is damaged or truncated

  bool is_foreign = false;  // a profile of another tool, with no Spark application around it
  bool is_node = false;     // a day of a host: what `sparkprof monitor` recorded

  Profile profile{.bucket_ns = 1'000'000'000};  // its samples, and the strings of all tables

  // Samples of Python processes, with the profile's tables but separate from the JVM samples; analysis/python/stitch.h
  // merges both.
  std::vector<Sample> python_samples;
  std::vector<Udf> udfs;  // one for each task and function
  std::vector<PythonTask> python_tasks;

  Tasks tasks;
  std::vector<Stage> stages;  // one for each stage attempt
  std::vector<Job> jobs;
  std::vector<SqlExecution> sql_executions;
  std::vector<CachedRdd> cached_rdds;
  std::vector<SharedRdd> shared_rdds;             // by ID
  std::vector<StreamingQuery> streaming_queries;  // one for each run
  std::vector<StreamingBatch> streaming_batches;  // in the order of the log
  std::vector<Executor> executors;
  std::vector<ApplicationProcess> processes;
  std::vector<ApplicationSeries> series;
  std::vector<ApplicationHeapSummary> heap_summaries;  // in order of time
  std::vector<Neighbor> neighbors;                     // other processes on its hosts; no total has them
  std::vector<Coverage> coverage;
  std::vector<std::pair<std::string, std::vector<std::pair<std::string, std::string>>>>
      environment;  // group, (name, value)
  std::vector<ResourceProfile> resource_profiles;
  std::vector<ApplicationNotice> notices;
  std::vector<Loss> losses;
  std::vector<ProfilerSetting> settings;
  LogRecords logs;
  int64_t unknown_events = 0;  // Spark events of a kind that is not used
  int64_t damaged_events = 0;  // lines that are not the JSON they should be

  // A warning of the whole application, not of one executor.
  void Warn(int64_t time_ns, std::string text) {
    notices.push_back({-1, {time_ns, NoticeLevel::kWarning, std::move(text)}});
  }

  // The executor that a sample's thread belongs to: a row of `executors`, -1 = unknown.
  int32_t ExecutorOf(const Sample& sample) const { return profile.threads[sample.thread].executor; }

  // The row of `tasks` for each row of the profile's tasks, -1 = none.
  std::vector<int32_t> TaskRows() const;
  // Stage, attempt and partition of the profile's tasks, from `tasks`.
  void FillProfileTasks();

  // Executors that can run tasks: the driver, which also has a row in `executors`, counts in local mode only.
  size_t ExecutorCount() const;
};

}  // namespace sparkprof
