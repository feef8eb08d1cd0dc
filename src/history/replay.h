// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "history/history.h"
#include "history/spark_text.h"
#include "history/task_event.h"

namespace sparkprof {

// Replays event log events as Spark's AppStatusListener and SQLAppStatusListener do in its History Server. Their rules
// decide between conflicting events, also in logs that are incomplete or out of order. Comments point out the rules
// that are not obvious.

using StageKey = std::pair<int64_t, int64_t>;  // ID and attempt

// A job's counters continue after its end, but Spark shows the values at the end, unless a stage ends later.
struct LiveJob {
  HistoryJob data;
  bool is_running = true;
  std::unordered_set<uint64_t> completed;  // stage ID and task index
};

struct LiveStage {
  HistoryStage* stage = nullptr;
  std::vector<std::shared_ptr<LiveJob>> jobs;
  std::unordered_map<StringId, size_t> executors;      // rows of HistoryStage::executors seen in this run
  std::unordered_map<StringId, size_t> executor_rows;  // rows of all executors
  std::unordered_set<int32_t> completed;               // task indices
  std::set<std::string> excluded_executors;
  bool has_speculation = false;
};

struct SqlStage {
  struct Metric {
    std::vector<std::pair<int32_t, int64_t>>
        values;  // by task index; the last value of an index counts, earlier ones become 0
    std::optional<MetricMaximum> maximum;
  };
  int64_t attempt = 0;
  int64_t tasks = 0;
  std::shared_ptr<const std::unordered_map<int64_t, std::string>>
      types;                                    // metric types of the execution, by accumulator ID
  std::unordered_set<int64_t> completed;        // task indices
  std::unordered_map<int64_t, Metric> metrics;  // by accumulator ID
};

struct LiveSqlExecution {
  HistorySqlExecution data;
  std::vector<PlanGraphMetric> metrics;  // metrics of all its plans so far
  std::shared_ptr<std::unordered_map<int64_t, std::string>> types;
  std::vector<int64_t> stages;  // in order of the jobs that need them
  std::vector<std::pair<int64_t, int64_t>> driver_updates;
  bool has_values = false;
  int64_t end_events = 0;
  bool is_live = true;
};

struct Replay {
  History* history = nullptr;
  int64_t default_cpus_per_task = 1;
  std::map<int64_t, std::shared_ptr<LiveJob>> jobs;  // running jobs
  std::map<StageKey, LiveStage> stages;              // running and pending stages
  std::unordered_map<int64_t, uint32_t> tasks;       // rows of running tasks, by ID
  std::set<std::string> live_executors;              // IDs of executors that were not removed
  std::map<int64_t, LiveSqlExecution> sql_executions;
  std::unordered_map<int64_t, SqlStage> sql_stages;                   // by stage ID
  std::map<std::string, HistoryConnectSession> connect_sessions;      // open sessions, keyed as in History
  std::map<std::string, HistoryConnectOperation> connect_operations;  // open operations, keyed as in History
  int64_t last_update_ms = 0;  // time of the log's last change, the assumed end of tasks without an end

  // Null if unknown or removed.
  HistoryExecutor* LiveExecutor(std::string_view id);
};

// Applies one event. Returns false if required members are missing. Skips events that Spark's API does not show.
bool ReplayEvent(const simdjson::dom::object& event, Replay* replay);

// Call after the last event: running items keep their current state.
void FinishReplay(Replay* replay);

// Handlers of scheduler_events.cc, executor_events.cc, rdd_events.cc, sql_events.cc, connect_events.cc and
// environment_events.cc.
bool ReplayLogStart(const simdjson::dom::object& event, Replay* replay);
bool ReplayApplicationStart(const simdjson::dom::object& event, Replay* replay);
bool ReplayApplicationEnd(const simdjson::dom::object& event, Replay* replay);
bool ReplayEnvironment(const simdjson::dom::object& event, Replay* replay);
bool ReplayResourceProfile(const simdjson::dom::object& event, Replay* replay);
bool ReplayJobStart(const simdjson::dom::object& event, Replay* replay);
bool ReplayJobEnd(const simdjson::dom::object& event, Replay* replay);
bool ReplayStageSubmitted(const simdjson::dom::object& event, Replay* replay);
bool ReplayStageCompleted(const simdjson::dom::object& event, Replay* replay);
bool ReplayExecutorAdded(const simdjson::dom::object& event, Replay* replay);
bool ReplayExecutorRemoved(const simdjson::dom::object& event, Replay* replay);
bool ReplayBlockManagerAdded(const simdjson::dom::object& event, Replay* replay);
bool ReplayStageExecutorMetrics(const simdjson::dom::object& event, Replay* replay);
bool ReplayExecutorExcluded(const simdjson::dom::object& event, Replay* replay);
bool ReplayExecutorUnexcluded(const simdjson::dom::object& event, Replay* replay);
bool ReplayNodeExcluded(const simdjson::dom::object& event, Replay* replay);
bool ReplayNodeUnexcluded(const simdjson::dom::object& event, Replay* replay);
bool ReplayExecutorExcludedForStage(const simdjson::dom::object& event, Replay* replay);
bool ReplayNodeExcludedForStage(const simdjson::dom::object& event, Replay* replay);
bool ReplayProcessAdded(const simdjson::dom::object& event, Replay* replay);
bool ReplayBlockUpdated(const simdjson::dom::object& event, Replay* replay);
bool ReplayUnpersist(const simdjson::dom::object& event, Replay* replay);
bool ReplaySqlStart(const simdjson::dom::object& event, Replay* replay);
bool ReplaySqlEnd(const simdjson::dom::object& event, Replay* replay);
bool ReplaySqlAdaptiveUpdate(const simdjson::dom::object& event, Replay* replay);
bool ReplaySqlAdaptiveMetrics(const simdjson::dom::object& event, Replay* replay);
bool ReplaySqlDriverUpdates(const simdjson::dom::object& event, Replay* replay);

bool ReplayConnectSessionStarted(const simdjson::dom::object& event, Replay* replay);
bool ReplayConnectSessionClosed(const simdjson::dom::object& event, Replay* replay);
bool ReplayConnectOperationStarted(const simdjson::dom::object& event, Replay* replay);
bool ReplayConnectOperationFinished(const simdjson::dom::object& event,
                                    Replay* replay);  // also for canceled and failed ones
bool ReplayConnectOperationClosed(const simdjson::dom::object& event, Replay* replay);

void ReplayTask(const TaskEvent& event, Replay* replay);

// Apply a job or stage event to SQL executions.
void ReplaySqlJobStart(const HistoryJob& job, const std::vector<StageInfo>& stages, int64_t execution, Replay* replay);
void ReplaySqlJobEnd(const HistoryJob& job, Replay* replay);
void ReplaySqlStageSubmitted(const StageInfo& stage, Replay* replay);
void ReplaySqlTaskEnd(const TaskEvent& event, Replay* replay);
// Apply a job or SQL execution with these tags to the Spark Connect operation that started it.
void ReplayConnectJob(const std::vector<std::string>& tags, int64_t job, Replay* replay);
void ReplayConnectSql(const simdjson::dom::object& event, int64_t execution, Replay* replay);
// Apply a removed executor or a submitted stage to RDDs.
void RemoveExecutorFromRdds(const HistoryExecutor& executor, Replay* replay);
void AddRdds(const simdjson::dom::object& stage_info, Replay* replay);
// The summary of an executor in a running stage; the reference is valid until the next call.
ExecutorStageSummary& SummaryOf(StringId executor, LiveStage* stage);

void FinishScheduler(Replay* replay);
void FinishSql(Replay* replay);

TextPairs ReadPairs(const simdjson::dom::object& object, std::string_view key);

}  // namespace sparkprof
