// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "history/executor_metrics.h"
#include "history/plan_graph.h"
#include "history/task_columns.h"
#include "model/samples/string_table.h"

namespace sparkprof {

// Contents of Spark's status store for one application attempt after replaying its event log. Times are ms since the
// Unix epoch, as in Spark's events.

using TextPairs = std::vector<std::pair<std::string, std::string>>;  // in the order of the event log

// A user-defined accumulator. Texts are as Spark prints them.
struct Accumulable {
  int64_t id = 0;
  std::optional<StringId> name;
  std::optional<StringId> update;
  std::optional<StringId> value;
};

enum class JobStatus : uint8_t { kRunning, kSucceeded, kFailed };
enum class StageStatus : uint8_t { kActive, kComplete, kFailed, kPending, kSkipped };

using KilledSummary = std::vector<std::pair<std::string, int64_t>>;  // number of tasks by reason

struct HistoryJob {
  int64_t id = 0;
  std::string name;
  std::optional<std::string> description;
  std::optional<int64_t> submission_ms;
  std::optional<int64_t> completion_ms;
  std::vector<int64_t> stage_ids;
  std::optional<std::string> group;
  std::vector<std::string> tags;
  JobStatus status = JobStatus::kRunning;
  int64_t tasks = 0;
  int64_t active_tasks = 0;
  int64_t completed_tasks = 0;
  int64_t skipped_tasks = 0;
  int64_t failed_tasks = 0;
  int64_t killed_tasks = 0;
  int64_t completed_indices = 0;
  int64_t active_stages = 0;
  std::set<int64_t> completed_stages;
  std::set<int64_t> skipped_stages;
  int64_t failed_stages = 0;
  KilledSummary killed_summary;
};

// A stage attempt as of its latest event.
struct StageInfo {
  int64_t id = 0;
  int64_t attempt = 0;
  StringId name = 0;
  StringId details = 0;
  int64_t tasks = 0;
  std::optional<int64_t> submission_ms;
  std::optional<int64_t> completion_ms;
  std::optional<std::string> failure;
  std::vector<int64_t> rdd_ids;
  std::vector<Accumulable> accumulables;
  int64_t resource_profile = 0;
  bool is_push_enabled = false;
  int64_t mergers = 0;
};

struct ExecutorStageSummary {
  StringId executor = 0;
  int64_t task_time_ms = 0;
  int64_t failed_tasks = 0;
  int64_t succeeded_tasks = 0;
  int64_t killed_tasks = 0;
  bool is_excluded = false;
  HistoryTaskValues sums;
  ExecutorPeaks peaks;
};

struct SpeculationSummary {
  int64_t tasks = 0;
  int64_t active_tasks = 0;
  int64_t completed_tasks = 0;
  int64_t failed_tasks = 0;
  int64_t killed_tasks = 0;
};

struct HistoryStage {
  StageInfo info;
  bool is_known = false;  // false = only tasks refer to it
  StageStatus status = StageStatus::kPending;
  std::optional<std::string> description;
  std::string pool = "default";
  int64_t active_tasks = 0;
  int64_t completed_tasks = 0;
  int64_t failed_tasks = 0;
  int64_t killed_tasks = 0;
  int64_t completed_indices = 0;
  KilledSummary killed_summary;
  std::optional<int64_t> first_launch_ms;
  HistoryTaskValues sums;
  ExecutorPeaks peaks;
  std::vector<ExecutorStageSummary> executors;  // in order of their first task
  std::optional<SpeculationSummary> speculation;
  std::vector<uint32_t> tasks;  // rows of History::tasks, by task ID
};

struct ExecutorResource {
  std::string key;
  std::string name;
  std::vector<std::string> addresses;
};

struct HistoryExecutor {
  std::string id;
  std::string host_port;  // empty until its block manager registers
  std::string host;
  bool is_active = true;
  int64_t total_cores = 0;
  int64_t max_tasks = 0;
  int64_t add_ms = 0;
  std::optional<int64_t> remove_ms;
  std::string remove_reason;
  int64_t rdd_blocks = 0;
  int64_t memory_used = 0;
  int64_t disk_used = 0;
  int64_t max_memory = 0;
  int64_t active_tasks = 0;
  int64_t completed_tasks = 0;
  int64_t failed_tasks = 0;
  int64_t total_tasks = 0;
  int64_t total_duration_ms = 0;
  int64_t total_gc_time_ms = 0;
  int64_t total_input_bytes = 0;
  int64_t total_shuffle_read = 0;
  int64_t total_shuffle_write = 0;
  bool is_excluded = false;
  std::set<int64_t> excluded_in_stages;
  TextPairs logs;
  TextPairs attributes;
  std::vector<ExecutorResource> resources;
  bool has_memory_info = false;  // event logs of Spark before 2.2 lack memory metrics
  int64_t total_on_heap = 0;
  int64_t total_off_heap = 0;
  int64_t used_on_heap = 0;
  int64_t used_off_heap = 0;
  int64_t resource_profile = 0;
  ExecutorPeaks peaks;
};

struct HistoryProcess {
  std::string id;
  std::string host_port;
  int64_t cores = 0;
  int64_t add_ms = 0;
  TextPairs logs;
};

struct StorageLevel {
  bool uses_disk = false;
  bool uses_memory = false;
  bool is_off_heap = false;
  bool is_deserialized = false;
  int64_t replication = 1;

  bool IsValid() const { return (uses_memory || uses_disk) && replication > 0; }
  std::string Description() const;  // "Memory Deserialized 1x Replicated"
};

struct RddPartition {
  std::string block;
  StorageLevel level;
  int64_t memory_used = 0;
  int64_t disk_used = 0;
  std::vector<std::string> executors;
};

// Memory and disk use of an RDD on one executor.
struct RddDistribution {
  std::string executor;
  std::string address;
  int64_t memory_used = 0;
  int64_t disk_used = 0;
  int64_t on_heap_used = 0;
  int64_t off_heap_used = 0;
  // State of the executor at the last change of the RDD.
  int64_t memory_remaining = 0;
  bool has_memory_info = false;
  int64_t on_heap_remaining = 0;
  int64_t off_heap_remaining = 0;
};

struct HistoryRdd {
  int64_t id = 0;
  std::string name;
  int64_t partition_count = 0;
  StorageLevel level;
  int64_t memory_used = 0;
  int64_t disk_used = 0;
  std::vector<RddPartition> partitions;  // in order of their first block
  std::vector<RddDistribution> distributions;
};

struct ResourceRequest {
  std::string key;
  std::string name;
  int64_t amount = 0;
  double task_amount = 0;
  std::string script;
  std::string vendor;
};

struct HistoryResourceProfile {
  std::vector<ResourceRequest> executor;
  std::vector<ResourceRequest> task;
};

// Pairs are sorted and redacted.
struct HistoryEnvironment {
  std::optional<std::string> java_version;
  std::optional<std::string> java_home;
  std::optional<std::string> scala_version;
  TextPairs spark;
  TextPairs hadoop;
  TextPairs system;
  TextPairs metrics;
  TextPairs classpath;
};

struct HistorySqlExecution {
  int64_t id = 0;
  std::string description;
  std::string plan_text;
  int64_t submission_ms = -1;
  std::optional<int64_t> completion_ms;
  std::optional<std::string> error;
  std::vector<std::pair<int64_t, JobStatus>> jobs;  // in order of their start
  PlanGraph graph;
  std::map<int64_t, std::string> metric_values;  // by accumulator ID
};

// Closed sessions and operations of Spark Connect. The History Server shows no others.
struct HistoryConnectSession {
  std::string id;
  std::string user;
  int64_t start_ms = 0;
  int64_t finish_ms = 0;
  int64_t operations = 0;
};

struct HistoryConnectOperation {
  std::string job_tag;
  std::string id;
  std::string session;
  std::string user;
  std::string statement;
  int64_t start_ms = 0;
  int64_t finish_ms = 0;  // 0 = unknown
  int64_t close_ms = 0;
  std::set<std::string> tags;  // tags of the session
  std::set<int64_t> jobs;
  std::set<int64_t> sql_executions;
  std::string detail;  // reason of a failure
};

struct History {
  StringTable strings;
  std::string id;
  std::string attempt;
  std::string name;
  std::string user;
  std::string spark_version;
  int64_t start_ms = 0;
  std::optional<int64_t> end_ms;
  HistoryEnvironment environment;
  std::map<int64_t, HistoryResourceProfile> resource_profiles;
  std::map<int64_t, HistoryJob> jobs;
  std::map<std::pair<int64_t, int64_t>, HistoryStage> stages;  // key: ID and attempt
  TaskColumns tasks;
  std::map<std::string, HistoryExecutor> executors;
  std::map<std::string, HistoryProcess> processes;
  std::map<int64_t, HistoryRdd> rdds;
  std::map<int64_t, HistorySqlExecution> sql_executions;
  std::map<std::string, HistoryConnectSession> connect_sessions;      // key: "user/ID"
  std::map<std::string, HistoryConnectOperation> connect_operations;  // key: tag of their jobs
  int64_t damaged_events = 0;                                         // events that are not JSON, or lack required IDs

  // Estimated memory.
  uint64_t Bytes() const;
};

}  // namespace sparkprof
