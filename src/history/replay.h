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

#include "history/count.h"
#include "history/history.h"
#include "history/spark_text.h"
#include "history/task_event.h"

namespace sparkprof {

// The events of a log change this state as they change Spark's AppStatusListener and SQLAppStatusListener when its
// History Server replays a log. Their rules decide which of several events counts, also in logs that are incomplete or
// out of order; comments name those that are not obvious.

using StageKey = std::pair<int64_t, int64_t>;  // ID and attempt

// A job's counters go on after its end, but Spark shows them as they were, unless a stage ends later.
struct LiveJob {
  HistoryJob data;
  bool is_running = true;
  std::unordered_set<uint64_t> completed;  // stage ID and index of its tasks
};

// State of a running stage attempt.
struct LiveStage {
  HistoryStage* stage = nullptr;
  std::vector<std::shared_ptr<LiveJob>> jobs;
  std::unordered_map<StringId, size_t> executors;      // rows of HistoryStage::executors seen in this run
  std::unordered_map<StringId, size_t> executor_rows;  // all of them
  std::unordered_set<int32_t> completed;               // indices
  std::set<std::string> excluded_executors;
  bool has_speculation = false;
};

// The values of SQL metrics in one stage.
struct SqlStage {
  struct Metric {
    std::vector<std::pair<int32_t, int64_t>> values;  // by task index; the last of an index counts, the others have 0
    std::optional<MetricMaximum> maximum;
  };
  int64_t attempt = 0;
  int64_t tasks = 0;
  std::shared_ptr<const std::unordered_map<int64_t, std::string>> types;  // of the execution's metrics, by accumulator
  std::unordered_set<int64_t> completed;                                  // indices
  std::unordered_map<int64_t, Metric> metrics;                            // by accumulator
};

struct LiveSqlExecution {
  HistorySqlExecution data;
  std::vector<PlanGraphMetric> metrics;  // of all plans that it had
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
  std::map<int64_t, std::shared_ptr<LiveJob>> jobs;  // that run
  std::map<StageKey, LiveStage> stages;              // that run, or wait for it
  std::unordered_map<int64_t, uint32_t> tasks;       // that run: rows, by ID
  std::set<std::string> live_executors;              // others of History::executors were removed
  std::map<int64_t, LiveSqlExecution> sql_executions;
  std::unordered_map<int64_t, SqlStage> sql_stages;                   // by stage ID
  std::map<std::string, HistoryConnectSession> connect_sessions;      // that are open, as in History
  std::map<std::string, HistoryConnectOperation> connect_operations;  //
  int64_t last_update_ms = 0;  // of the log: until then, tasks without an end ran

  // Null if it is not known, or was removed.
  HistoryExecutor* LiveExecutor(std::string_view id);
};

// Applies one event. False if it lacks what it needs; events that Spark's API does not show are skipped.
bool ReplayEvent(const simdjson::dom::object& event, Replay* replay);

// After the last event: what is still running is shown as it is.
void FinishReplay(Replay* replay);

// The handlers of scheduler_events.cc, executor_events.cc, rdd_events.cc, sql_events.cc, connect_events.cc and
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
bool ReplayConnectOperationFinished(const simdjson::dom::object& event, Replay* replay);  // also canceled, or failed
bool ReplayConnectOperationClosed(const simdjson::dom::object& event, Replay* replay);

void ReplayTask(const TaskEvent& event, Replay* replay);

// Effects of a job or a stage on SQL executions.
void ReplaySqlJobStart(const HistoryJob& job, const std::vector<StageInfo>& stages, int64_t execution, Replay* replay);
void ReplaySqlJobEnd(const HistoryJob& job, Replay* replay);
void ReplaySqlStageSubmitted(const StageInfo& stage, Replay* replay);
void ReplaySqlTaskEnd(const TaskEvent& event, Replay* replay);
// Effects of a job or an SQL execution with these tags on the operation of Spark Connect that started it.
void ReplayConnectJob(const std::vector<std::string>& tags, int64_t job, Replay* replay);
void ReplayConnectSql(const simdjson::dom::object& event, int64_t execution, Replay* replay);
// Effects of a removed executor and a submitted stage on RDDs.
void RemoveExecutorFromRdds(const HistoryExecutor& executor, Replay* replay);
void AddRdds(const simdjson::dom::object& stage_info, Replay* replay);
// The summary of an executor in a stage that runs; the reference is valid until the next call.
ExecutorStageSummary& SummaryOf(StringId executor, LiveStage* stage);

void FinishScheduler(Replay* replay);
void FinishSql(Replay* replay);

// The members of an object that are text.
TextPairs ReadPairs(const simdjson::dom::object& object, std::string_view key);

}  // namespace sparkprof
