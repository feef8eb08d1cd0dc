// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text/text.h"
#include "history/answer_parts.h"

namespace sparkprof {
namespace {

struct SqlOptions {
  bool details = true;
  bool plan = true;
};

std::string_view StatusOf(const HistorySqlExecution& execution) {
  if (execution.error) return execution.error->empty() ? "COMPLETED" : "FAILED";
  if (!execution.completion_ms) return "RUNNING";
  // Before Spark 3.4, the end event of an execution has no error.
  const bool has_failed = std::any_of(execution.jobs.begin(), execution.jobs.end(),
                                      [](const auto& job) { return job.second == JobStatus::kFailed; });
  return has_failed ? "FAILED" : "COMPLETED";
}

void WriteJobs(std::string_view key, JobStatus status, const HistorySqlExecution& execution, JsonWriter* json) {
  json->Key(key).BeginArray();
  for (const auto& [job, its_status] : execution.jobs) {
    if (its_status == status) json->Value(job);
  }
  json->EndArray();
}

void WriteNode(const PlanGraphNode& node, const HistorySqlExecution& execution, JsonWriter* json) {
  json->BeginObject().Member("nodeId", node.id).Member("nodeName", Trim(node.name));
  if (node.codegen) json->Member("wholeStageCodegenId", *node.codegen);
  json->Key("metrics").BeginArray();
  for (const PlanGraphMetric& metric : node.metrics) {
    const auto value = execution.metric_values.find(metric.accumulator);
    if (value == execution.metric_values.end()) continue;
    json->BeginObject().Member("name", Trim(metric.name)).Member("value", value->second).EndObject();
  }
  json->EndArray().EndObject();
}

void WriteExecution(const HistorySqlExecution& execution, const SqlOptions& options, int64_t now_ms, JsonWriter* json) {
  json->BeginObject()
      .Member("id", execution.id)
      .Member("status", StatusOf(execution))
      .Member("description", execution.description)
      .Member("planDescription", options.plan ? execution.plan_text : std::string())
      .Member("submissionTime", SparkTime(execution.submission_ms))
      .Member("duration", execution.completion_ms.value_or(now_ms) - execution.submission_ms);
  WriteJobs("runningJobIds", JobStatus::kRunning, execution, json);
  WriteJobs("successJobIds", JobStatus::kSucceeded, execution, json);
  WriteJobs("failedJobIds", JobStatus::kFailed, execution, json);
  json->Key("nodes").BeginArray();
  if (options.details) {
    const std::vector<PlanGraphNode>& nodes = execution.graph.nodes;
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) WriteNode(*node, execution, json);
  }
  json->EndArray().Key("edges").BeginArray();
  if (options.details) {
    for (const PlanGraphEdge& edge : execution.graph.edges)
      json->BeginObject().Member("fromId", edge.from).Member("toId", edge.to).EndObject();
  }
  json->EndArray().EndObject();
}

}  // namespace

HistoryAnswer AnswerSql(const History& history, AnswerPath path, HistoryParameters parameters, int64_t now_ms) {
  const SqlOptions options = {BooleanOr(parameters, "details", true), BooleanOr(parameters, "planDescription", true)};
  JsonWriter json;
  if (!path.empty()) {
    const std::optional<int64_t> id = path.size() == 1 ? ParseInteger(path[0]) : std::nullopt;
    if (!id) return NoSuchPath();
    const auto execution = history.sql_executions.find(*id);
    if (execution == history.sql_executions.end()) return NotFound("unknown query execution id: " + path[0]);
    WriteExecution(execution->second, options, now_ms, &json);
    return JsonAnswer(&json);
  }
  const std::optional<int64_t> offset = IntegerOr(parameters, "offset", 0);
  const std::optional<int64_t> length = IntegerOr(parameters, "length", 20);
  if (!offset || !length) return NoSuchPath();
  json.BeginArray();
  int64_t row = 0;
  for (const auto& [id, execution] : history.sql_executions) {
    if (row >= *offset && row < *offset + *length) WriteExecution(execution, options, now_ms, &json);
    ++row;
  }
  json.EndArray();
  return JsonAnswer(&json);
}

}  // namespace sparkprof
