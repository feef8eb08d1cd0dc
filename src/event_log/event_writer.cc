// SPDX-License-Identifier: Apache-2.0
#include "event_log/event_writer.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "base/text/json_writer.h"
#include "base/time.h"
#include "event_log/events/event_handlers.h"

namespace sparkprof {
namespace {

using Sink = std::function<void(std::string&&)>;

constexpr std::string_view kSqlPackage = "org.apache.spark.sql.execution.ui.";
constexpr std::string_view kStreamingPackage = "org.apache.spark.sql.streaming.StreamingQueryListener$";

JsonWriter Begin(std::string_view event) {
  JsonWriter json;
  json.BeginObject().Member("Event", event);
  return json;
}

JsonWriter BeginStreaming(std::string_view event) { return Begin(std::string(kStreamingPackage).append(event)); }

JsonWriter BeginSql(std::string_view event) { return Begin(std::string(kSqlPackage).append(event)); }

void End(JsonWriter* json, const Sink& sink) {
  json->EndObject();
  sink(json->Take());
}

void AddTime(std::string_view key, int64_t time_ns, JsonWriter* json) {
  if (time_ns > 0) json->Member(key, time_ns / kNanosPerMilli);
}

void AddText(std::string_view key, const std::string& text, JsonWriter* json) {
  if (!text.empty()) json->Member(key, text);
}

void WriteApplicationStart(const Application& application, const Sink& sink) {
  if (!application.spark_version.empty()) {
    JsonWriter json = Begin("SparkListenerLogStart");
    json.Member("Spark Version", application.spark_version);
    End(&json, sink);
  }
  JsonWriter json = Begin("SparkListenerApplicationStart");
  json.Member("App Name", application.name).Member("App ID", application.id);
  AddTime("Timestamp", application.start_ns, &json);
  AddText("User", application.user, &json);
  AddText("App Attempt ID", application.attempt, &json);
  End(&json, sink);
}

void WriteEnvironment(const Application& application, const Sink& sink) {
  if (application.environment.empty()) return;
  JsonWriter json = Begin("SparkListenerEnvironmentUpdate");
  for (const EnvironmentGroup& group : kEnvironmentGroups) {
    for (const auto& [name, entries] : application.environment) {
      if (name != group.name) continue;
      json.Key(group.key).Object(entries);
    }
  }
  End(&json, sink);
}

void WriteMemory(const Executor& executor, const Sink& sink) {
  if (executor.max_memory_bytes > 0) {
    JsonWriter json = Begin("SparkListenerBlockManagerAdded");
    json.Key("Block Manager ID")
        .BeginObject()
        .Member("Executor ID", executor.id)
        .Member("Host", executor.host)
        .EndObject();
    json.Member("Maximum Memory", executor.max_memory_bytes);
    AddTime("Timestamp", executor.add_ns, &json);
    End(&json, sink);
  }
  if (!executor.peak_metrics.empty()) {
    JsonWriter json = Begin("SparkListenerStageExecutorMetrics");
    json.Member("Executor ID", executor.id).Key("Executor Metrics").Object(executor.peak_metrics);
    End(&json, sink);
  }
}

void AddRequests(const ResourceProfile& profile, std::string_view key, std::string_view prefix, JsonWriter* json) {
  json->Key(key).BeginObject();
  for (const auto& [name, amount] : profile.requests) {
    if (!name.starts_with(prefix)) continue;
    json->Key(std::string_view(name).substr(prefix.size())).BeginObject().Key("Amount").Raw(amount).EndObject();
  }
  json->EndObject();
}

void WriteResourceProfiles(const Application& application, const Sink& sink) {
  for (const ResourceProfile& profile : application.resource_profiles) {
    JsonWriter json = Begin("SparkListenerResourceProfileAdded");
    json.Member("Resource Profile Id", profile.id);
    AddRequests(profile, "Executor Resource Requests", "executor.", &json);
    AddRequests(profile, "Task Resource Requests", "task.", &json);
    End(&json, sink);
  }
}

// Counts for a stage (null = none) and an executor (empty = none); the task itself keeps its first end.
void WriteResubmitted(int64_t count, const Stage* stage, std::string_view executor, const Sink& sink) {
  for (; count > 0; --count) {
    JsonWriter json = Begin("SparkListenerTaskEnd");
    if (stage != nullptr) json.Member("Stage ID", stage->id).Member("Stage Attempt ID", stage->attempt);
    json.Key("Task End Reason").BeginObject().Member("Reason", "Resubmitted").EndObject();
    json.Key("Task Info").BeginObject().Member("Task ID", int64_t{0}).Member("Executor ID", executor).EndObject();
    End(&json, sink);
  }
}

void WriteExecutors(const Application& application, const Sink& sink) {
  for (const Executor& executor : application.executors) {
    JsonWriter json = Begin("SparkListenerExecutorAdded");
    json.Member("Executor ID", executor.id);
    AddTime("Timestamp", executor.add_ns, &json);
    json.Key("Executor Info")
        .BeginObject()
        .Member("Host", executor.host)
        .Member("Total Cores", executor.cores)
        .Member("Resource Profile Id", executor.resource_profile)
        .EndObject();
    End(&json, sink);
    WriteMemory(executor, sink);
    WriteResubmitted(executor.resubmitted_tasks, nullptr, executor.id, sink);
    if (executor.remove_ns == 0) continue;
    JsonWriter removed = Begin("SparkListenerExecutorRemoved");
    removed.Member("Executor ID", executor.id).Member("Removed Reason", executor.remove_reason);
    AddTime("Timestamp", executor.remove_ns, &removed);
    End(&removed, sink);
  }
}

bool WasSubmitted(const Stage& stage) {
  return stage.status != RunStatus::kPending && stage.status != RunStatus::kSkipped;
}

void AddStageInfo(const Stage& stage, bool submitted, JsonWriter* json) {
  json->BeginObject()
      .Member("Stage ID", stage.id)
      .Member("Stage Attempt ID", stage.attempt)
      .Member("Stage Name", stage.name)
      .Member("Number of Tasks", stage.task_count)
      .Member("Resource Profile Id", stage.resource_profile);
  if (submitted || !WasSubmitted(stage)) AddText("Details", stage.details, json);
  json->Member("Parent IDs", stage.parents);
  if (submitted) AddTime("Submission Time", stage.submit_ns, json);
}

using RowsOfStage = std::unordered_map<int64_t, std::vector<size_t>>;

void WriteJobStarts(const Application& application, const RowsOfStage& rows_of_stage, const Sink& sink) {
  for (const Job& job : application.jobs) {
    JsonWriter json = Begin("SparkListenerJobStart");
    json.Member("Job ID", job.id);
    AddTime("Submission Time", job.submit_ns, &json);
    json.Member("Stage IDs", job.stages);
    json.Key("Stage Infos").BeginArray();
    for (const int64_t id : job.stages) {
      const auto rows = rows_of_stage.find(id);
      if (rows == rows_of_stage.end()) continue;
      AddStageInfo(application.stages[rows->second.front()], false, &json);
      json.EndObject();
    }
    json.EndArray().Key("Properties").BeginObject();
    if (job.sql_execution >= 0) json.Member("spark.sql.execution.id", std::to_string(job.sql_execution));
    AddText("spark.jobGroup.id", job.group, &json);
    AddText("spark.job.description", job.description, &json);
    AddText("callSite.short", job.call_site, &json);
    AddText("spark.job.tags", fmt::format("{}", fmt::join(job.tags, ",")), &json);
    json.EndObject();
    End(&json, sink);
  }
}

void WriteCachedRdds(const Application& application, int64_t stage, JsonWriter* json) {
  json->Key("RDD Info").BeginArray();
  for (const CachedRdd& rdd : application.cached_rdds) {
    if (std::find(rdd.stages.begin(), rdd.stages.end(), stage) == rdd.stages.end()) continue;
    json->BeginObject().Member("RDD ID", rdd.id).Member("Name", rdd.name).Key("Storage Level");
    json->BeginObject()
        .Member("Use Memory", rdd.in_memory)
        .Member("Use Disk", rdd.on_disk)
        .Member("Use Off Heap", rdd.off_heap)
        .Member("Deserialized", rdd.deserialized)
        .Member("Replication", rdd.replication)
        .EndObject();
    json->Member("Number of Partitions", rdd.partition_count).EndObject();
  }
  json->EndArray();
}

void WriteStages(const Application& application, const Sink& sink) {
  for (const Stage& stage : application.stages) {
    if (!WasSubmitted(stage)) continue;
    JsonWriter json = Begin("SparkListenerStageSubmitted");
    json.Key("Stage Info");
    AddStageInfo(stage, true, &json);
    WriteCachedRdds(application, stage.id, &json);
    json.EndObject().Key("Properties").BeginObject();
    if (stage.sql_execution >= 0) json.Member("spark.sql.execution.id", std::to_string(stage.sql_execution));
    json.EndObject();
    End(&json, sink);
    WriteResubmitted(stage.resubmitted_tasks, &stage, {}, sink);
    if (stage.status == RunStatus::kRunning) continue;
    JsonWriter completed = Begin("SparkListenerStageCompleted");
    completed.Key("Stage Info");
    AddStageInfo(stage, true, &completed);
    AddTime("Completion Time", stage.end_ns, &completed);
    if (stage.status == RunStatus::kFailed) completed.Member("Failure Reason", stage.failure);
    if (!stage.engine_metrics.empty()) {
      completed.Key("Accumulables").BeginArray();
      for (const auto& [name, value] : stage.engine_metrics) {
        completed.BeginObject().Member("Name", name).Member("Value", std::to_string(value)).EndObject();
      }
      completed.EndArray();
    }
    completed.EndObject();
    End(&completed, sink);
  }
}

// Writes totals as sparkprof's own event, because updates of single blocks are not kept.
void WriteStorage(const Application& application, const Sink& sink) {
  for (const CachedRdd& rdd : application.cached_rdds) {
    if (rdd.stored.empty() && rdd.unpersist_ns == 0) continue;
    JsonWriter json = Begin("SparkprofStorage");
    json.Member("RDD ID", rdd.id)
        .Member("Peak Memory Size", rdd.peak_memory_bytes)
        .Member("Peak Disk Size", rdd.peak_disk_bytes)
        .Member("Evicted Blocks", rdd.evicted_blocks)
        .Member("Lost Blocks", rdd.lost_blocks);
    AddTime("Unpersist Time", rdd.unpersist_ns, &json);
    json.Key("Stored").BeginArray();
    for (const StoredBlocks& stored : rdd.stored) {
      json.BeginArray()
          .Value(stored.time_ns / kNanosPerMilli)
          .Value(stored.partitions)
          .Value(stored.memory_bytes)
          .Value(stored.disk_bytes)
          .EndArray();
    }
    json.EndArray();
    End(&json, sink);
  }
}

void WriteJobEnds(const Application& application, const Sink& sink) {
  for (const Job& job : application.jobs) {
    if (job.status == RunStatus::kRunning) continue;
    const bool succeeded = job.status == RunStatus::kSucceeded;
    JsonWriter json = Begin("SparkListenerJobEnd");
    json.Member("Job ID", job.id);
    AddTime("Completion Time", job.end_ns, &json);
    json.Key("Job Result").BeginObject().Member("Result", succeeded ? "JobSucceeded" : "JobFailed");
    if (!succeeded) {
      json.Key("Exception").BeginObject().Member("Message", job.failure).EndObject();
    }
    json.EndObject();
    End(&json, sink);
  }
}

void AddPlan(const PlanNode& node, JsonWriter* json) {
  json->BeginObject().Member("nodeName", node.name).Member("simpleString", node.text).Key("children").BeginArray();
  for (const PlanNode& child : node.children) AddPlan(child, json);
  json->EndArray().Key("metrics").BeginArray();
  for (const PlanMetric& metric : node.metrics) {
    json->BeginObject()
        .Member("name", metric.name)
        .Member("accumulatorId", metric.accumulator)
        .Member("metricType", metric.type)
        .EndObject();
  }
  json->EndArray().Member("stageIds", node.stages).EndObject();
}

void AddVersions(const std::vector<PlanVersion>& versions, JsonWriter* json) {
  if (versions.empty()) return;
  json->Key("planVersions").BeginArray();
  for (const PlanVersion& version : versions) {
    json->BeginObject().Member("afterStage", version.after_stage).Member("changes", version.changes).EndObject();
  }
  json->EndArray();
}

// The accumulator update that results in this value: inverse of the reader.
int64_t UpdateOf(const PlanMetric& metric) {
  if (metric.type == "average") return std::llround(metric.value * 10);
  if (metric.type == "timing") return std::llround(metric.value / static_cast<double>(kNanosPerMilli));
  return std::llround(metric.value);
}

void CollectUpdates(const PlanNode& node, std::unordered_map<int64_t, int64_t>* updates) {
  for (const PlanMetric& metric : node.metrics) {
    if (metric.has_value) updates->emplace(metric.accumulator, UpdateOf(metric));
  }
  for (const PlanNode& child : node.children) CollectUpdates(child, updates);
}

void WriteSqlExecutions(const Application& application, const Sink& sink) {
  std::unordered_map<int64_t, int64_t> updates;  // adaptive plans of one application share accumulators
  for (const SqlExecution& execution : application.sql_executions) {
    JsonWriter json = BeginSql("SparkListenerSQLExecutionStart");
    json.Member("executionId", execution.id)
        .Member("rootExecutionId", execution.root_id)
        .Member("description", execution.description)
        .Member("details", execution.details)
        .Member("physicalPlanDescription", execution.plan_text);
    AddTime("time", execution.start_ns, &json);
    json.Key("sparkPlanInfo");
    AddPlan(execution.plan, &json);
    AddVersions(execution.plan_versions, &json);
    if (!execution.settings.empty()) {
      json.Key("modifiedConfigs").Object(execution.settings);
    }
    End(&json, sink);
    CollectUpdates(execution.plan, &updates);
    if (execution.status == RunStatus::kRunning) continue;
    JsonWriter ended = BeginSql("SparkListenerSQLExecutionEnd");
    ended.Member("executionId", execution.id);
    AddTime("time", execution.end_ns, &ended);
    if (execution.status == RunStatus::kFailed) {
      ended.Member("errorMessage", execution.failure.empty() ? std::string("failed") : execution.failure);
    }
    End(&ended, sink);
  }
  if (updates.empty()) return;
  JsonWriter json = BeginSql("SparkListenerDriverAccumUpdates");
  json.Member("executionId", application.sql_executions.front().id).Key("accumUpdates").BeginArray();
  for (const auto& [accumulator, value] : updates) json.BeginArray().Value(accumulator).Value(value).EndArray();
  json.EndArray();
  End(&json, sink);
}

void AddRun(const StreamingQuery& query, JsonWriter* json) {
  json->Member("id", query.id).Member("runId", query.run_id);
  AddText("name", query.name, json);
}

void WriteStreamingBatch(const StreamingQuery& query, const StreamingBatch& batch, const Sink& sink) {
  JsonWriter json = BeginStreaming("QueryProgressEvent");
  json.Key("progress").BeginObject();
  AddRun(query, &json);
  if (batch.start_ns > 0) json.Member("timestamp", FormatTimestamp(batch.start_ns));
  json.Member("batchId", batch.id).Member("batchDuration", batch.duration_ns / kNanosPerMilli);
  if (batch.watermark_ns > 0) {
    json.Key("eventTime").BeginObject().Member("watermark", FormatTimestamp(batch.watermark_ns)).EndObject();
  }
  json.Key("durationMs").BeginObject();
  for (const auto& [phase, duration_ns] : batch.phases_ns) json.Member(phase, duration_ns / kNanosPerMilli);
  json.EndObject().Key("sources").BeginArray().BeginObject();
  json.Member("numInputRows", batch.input_rows)
      .Member("inputRowsPerSecond", batch.input_rows_per_second)
      .Member("processedRowsPerSecond", batch.processed_rows_per_second);
  if (batch.offsets_behind >= 0) {
    json.Key("metrics").BeginObject();
    json.Member("maxOffsetsBehindLatest", std::to_string(batch.offsets_behind)).EndObject();
  }
  json.EndObject().EndArray().Key("stateOperators").BeginArray().BeginObject();
  json.Member("numRowsTotal", batch.state_rows).Member("memoryUsedBytes", batch.state_bytes);
  // The reader merges both kinds by name.
  json.Key("customMetrics").Object(batch.state_metrics);
  json.EndObject().EndArray().EndObject();
  End(&json, sink);
}

void WriteStreaming(const Application& application, const Sink& sink) {
  for (const StreamingQuery& query : application.streaming_queries) {
    JsonWriter json = BeginStreaming("QueryStartedEvent");
    AddRun(query, &json);
    if (query.start_ns > 0) json.Member("timestamp", FormatTimestamp(query.start_ns));
    End(&json, sink);
  }
  for (const StreamingBatch& batch : application.streaming_batches) {
    WriteStreamingBatch(application.streaming_queries[static_cast<size_t>(batch.query)], batch, sink);
  }
  for (const StreamingQuery& query : application.streaming_queries) {
    if (query.end_ns == 0) continue;
    JsonWriter json = BeginStreaming("QueryTerminatedEvent");
    AddRun(query, &json);
    AddText("exception", query.failure, &json);
    End(&json, sink);
  }
}

}  // namespace

void WriteEvents(const Application& application, const Sink& sink) {
  RowsOfStage rows_of_stage;
  for (size_t row = 0; row < application.stages.size(); ++row) {
    rows_of_stage[application.stages[row].id].push_back(row);
  }
  WriteApplicationStart(application, sink);
  WriteEnvironment(application, sink);
  WriteResourceProfiles(application, sink);
  WriteExecutors(application, sink);
  WriteJobStarts(application, rows_of_stage, sink);
  WriteStages(application, sink);
  WriteStorage(application, sink);
  WriteSqlExecutions(application, sink);
  WriteStreaming(application, sink);
  WriteJobEnds(application, sink);
  if (!application.ended) return;
  JsonWriter json = Begin("SparkListenerApplicationEnd");
  AddTime("Timestamp", application.end_ns, &json);
  End(&json, sink);
}

}  // namespace sparkprof
