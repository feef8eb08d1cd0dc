// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "event_log/events/event_state.h"

namespace sparkprof {

// The handlers of Spark's events in the table of event_reader.cc.

// A part of SparkListenerEnvironmentUpdate.
struct EnvironmentGroup {
  std::string_view key;   // key in the event
  std::string_view name;  // name in the report
};
inline constexpr EnvironmentGroup kEnvironmentGroups[] = {
    {"JVM Information", "JVM"},      {"Spark Properties", "Spark"},     {"Hadoop Properties", "Hadoop"},
    {"System Properties", "System"}, {"Metrics Properties", "Metrics"}, {"Classpath Entries", "Classpath"},
};

// SparkListenerLogStart, SparkListenerApplicationStart, SparkListenerApplicationEnd and SparkListenerEnvironmentUpdate.
bool AddLogStart(const simdjson::dom::object& event, EventState* state);
bool AddApplicationStart(const simdjson::dom::object& event, EventState* state);
bool AddApplicationEnd(const simdjson::dom::object& event, EventState* state);
// Records parts dropped by RedactEvent as a loss.
bool AddDroppedValues(const simdjson::dom::object& event, EventState* state);
// Redacts secrets, whether or not Spark has redacted them.
bool AddEnvironmentUpdate(const simdjson::dom::object& event, EventState* state);

// SparkListenerExecutorAdded, SparkListenerExecutorRemoved and SparkListenerBlockManagerAdded.
bool AddExecutorAdded(const simdjson::dom::object& event, EventState* state);
bool AddExecutorRemoved(const simdjson::dom::object& event, EventState* state);
bool AddBlockManagerAdded(const simdjson::dom::object& event, EventState* state);

// SparkListenerStageExecutorMetrics and SparkListenerResourceProfileAdded.
bool AddStageExecutorMetrics(const simdjson::dom::object& event, EventState* state);
bool AddResourceProfile(const simdjson::dom::object& event, EventState* state);

// Merges metrics that an executor reported, with "Executor Metrics" or at a task's end, into its maxima.
class PeakMetrics {
 public:
  explicit PeakMetrics(Executor* executor) : peaks_(executor->peak_metrics) {}

  void Add(std::string_view name, int64_t value);

 private:
  std::vector<std::pair<std::string, int64_t>>& peaks_;
  size_t next_ = 0;  // Spark writes them in a fixed order, so the next one is tried first
};

// SparkListenerJobStart, SparkListenerJobEnd, SparkListenerStageSubmitted and SparkListenerStageCompleted.
bool AddJobStart(const simdjson::dom::object& event, EventState* state);
bool AddJobEnd(const simdjson::dom::object& event, EventState* state);
bool AddStageSubmitted(const simdjson::dom::object& event, EventState* state);
bool AddStageCompleted(const simdjson::dom::object& event, EventState* state);

// Sets jobs and SQL executions of stages and names of jobs, and marks skipped stages.
void ResolveJobsAndStages(EventState* state);

// Adds an event whose rows in `lists` start at `position`.
bool AddTask(const DecodedTask& task, const TaskLists& lists, TaskListsPosition position, EventState* state);

// SparkListenerTaskStart, SparkListenerTaskGettingResult and SparkListenerTaskEnd.
bool AddTaskStart(const simdjson::dom::object& event, EventState* state);
bool AddTaskEnd(const simdjson::dom::object& event, EventState* state);

// SparkListenerSQLExecutionStart, …End, SparkListenerSQLAdaptiveExecutionUpdate and SparkListenerDriverAccumUpdates.
bool AddSqlExecutionStart(const simdjson::dom::object& event, EventState* state);
bool AddSqlExecutionEnd(const simdjson::dom::object& event, EventState* state);
bool AddSqlAdaptiveUpdate(const simdjson::dom::object& event, EventState* state);
bool AddSqlAdaptiveMetricUpdates(const simdjson::dom::object& event, EventState* state);
// Adds a GlutenPlanFallbackEvent.
bool AddEngineReasons(const simdjson::dom::object& event, EventState* state);
bool AddDriverAccumulatorUpdates(const simdjson::dom::object& event, EventState* state);

// Sets jobs and failures of executions, and metric values of their plans. Call after ResolveJobsAndStages.
void ResolveSqlExecutions(EventState* state);

bool AddBlockUpdated(const simdjson::dom::object& event, EventState* state);
bool AddUnpersist(const simdjson::dom::object& event, EventState* state);
// Reads events that event_writer.h writes instead of updates of single blocks.
bool AddStorage(const simdjson::dom::object& event, EventState* state);

// Structured Streaming's QueryStartedEvent, QueryProgressEvent and QueryTerminatedEvent.
bool AddStreamingStart(const simdjson::dom::object& event, EventState* state);
bool AddStreamingProgress(const simdjson::dom::object& event, EventState* state);
bool AddStreamingEnd(const simdjson::dom::object& event, EventState* state);

}  // namespace sparkprof
