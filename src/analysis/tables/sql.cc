// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <string_view>
#include <unordered_map>

#include "analysis/tables/cells.h"
#include "analysis/tables/tables.h"
#include "base/json_writer.h"
#include "model/dbt_query.h"

namespace sparkprof {
namespace {

std::string_view SqlStatusText(RunStatus status) {
  if (status == RunStatus::kSucceeded) return "COMPLETED";
  return status == RunStatus::kFailed ? "FAILED" : "RUNNING";
}

// Plan nodes and edges as REST has them, in preorder.
void WritePlan(const PlanNode& node, int64_t parent, int64_t* next, JsonWriter* nodes, JsonWriter* edges) {
  const int64_t id = (*next)++;
  nodes->BeginObject().Member("nodeId", id).Member("nodeName", node.name).Key("metrics").BeginArray();
  for (const PlanMetric& metric : node.metrics) {
    nodes->BeginObject().Member("name", metric.name).Member("type", metric.type).Key("value");
    if (metric.has_value) {
      nodes->Value(metric.value);
    } else {
      nodes->Null();
    }
    nodes->EndObject();
  }
  nodes->EndArray().EndObject();
  if (parent >= 0) edges->BeginObject().Member("fromId", id).Member("toId", parent).EndObject();
  for (const PlanNode& child : node.children) WritePlan(child, id, next, nodes, edges);
}

struct SqlTexts {
  std::string dbt_node;
  std::string description;
  std::string running_jobs, success_jobs, failed_jobs;
  std::string tags;
  std::string nodes, edges;
  std::string versions;
};

std::string VersionsJson(const std::vector<PlanVersion>& versions) {
  JsonWriter json;
  json.BeginArray();
  for (const PlanVersion& version : versions) {
    json.BeginObject().Key("afterStage");
    if (version.after_stage >= 0) {
      json.Value(version.after_stage);
    } else {
      json.Null();
    }
    json.Key("changes").BeginArray();
    for (const std::string& change : version.changes) json.Value(change);
    json.EndArray().EndObject();
  }
  return json.EndArray().Take();
}

using JobsById = std::unordered_map<int64_t, const Job*>;

std::string TagsJson(const SqlExecution& execution, const JobsById& jobs) {
  std::set<std::string_view> tags;
  for (const int64_t id : execution.jobs) {
    if (const auto job = jobs.find(id); job != jobs.end())
      tags.insert(job->second->tags.begin(), job->second->tags.end());
  }
  JsonWriter json;
  json.BeginArray();
  for (const std::string_view tag : tags) json.Value(tag);
  return json.EndArray().Take();
}

SqlTexts TextsOf(const SqlExecution& execution, const JobsById& jobs) {
  std::vector<int64_t> running, success, failed;
  for (const int64_t id : execution.jobs) {
    const auto job = jobs.find(id);
    const RunStatus status = job == jobs.end() ? RunStatus::kRunning : job->second->status;
    (status == RunStatus::kSucceeded ? success : status == RunStatus::kFailed ? failed : running).push_back(id);
  }
  JsonWriter nodes, edges;
  nodes.BeginArray();
  edges.BeginArray();
  int64_t next = 0;
  if (!execution.plan.name.empty()) WritePlan(execution.plan, -1, &next, &nodes, &edges);
  nodes.EndArray();
  edges.EndArray();
  return {DbtNodeOf(execution.description),
          ReadableQuery(execution.description),
          fmt::format("[{}]", fmt::join(running, ",")),
          fmt::format("[{}]", fmt::join(success, ",")),
          fmt::format("[{}]", fmt::join(failed, ",")),
          TagsJson(execution, jobs),
          nodes.Take(),
          edges.Take(),
          VersionsJson(execution.plan_versions)};
}

}  // namespace

Table SqlTable(const Application& application) {
  using enum ColumnType;
  using enum Visibility;
  const auto& executions = application.sql_executions;
  JobsById jobs;
  for (const Job& job : application.jobs) jobs.emplace(job.id, &job);
  const auto texts = std::make_shared<std::vector<SqlTexts>>();
  for (const SqlExecution& execution : executions) texts->push_back(TextsOf(execution, jobs));
  const auto text = [texts](std::string SqlTexts::*member) {
    return [texts, member](size_t row) { return Cell(std::string_view((*texts)[row].*member)); };
  };
  const auto dbt_node = [texts](size_t row) { return TextCell((*texts)[row].dbt_node); };
  const auto description = [texts](size_t row) { return TextCell((*texts)[row].description); };
  const auto own = [&executions](std::string SqlExecution::*member) {
    return [&executions, member](size_t row) { return TextCell(executions[row].*member); };
  };
  return {
      .name = "sql",
      .rows = executions.size(),
      .columns = {
          {"id", kInteger, kShown, [&executions](size_t row) { return Cell(executions[row].id); }, ColumnRole::kSql},
          {"rootExecutionId", kInteger, kHidden, [&executions](size_t row) { return IdCell(executions[row].root_id); }},
          {"status", kText, kShown, [&executions](size_t row) { return Cell(SqlStatusText(executions[row].status)); }},
          {"submissionTime", kTime, kHidden, [&executions](size_t row) { return TimeCell(executions[row].start_ns); },
           ColumnRole::kBegin},
          {"completionTime", kTime, kHidden, [&executions](size_t row) { return TimeCell(executions[row].end_ns); },
           ColumnRole::kEnd},
          {"duration", kMillis, kShown,
           [&executions](size_t row) { return DurationCell(executions[row].start_ns, executions[row].end_ns); }},
          {"runningJobIds", kJson, kHidden, text(&SqlTexts::running_jobs)},
          {"successJobIds", kJson, kShown, text(&SqlTexts::success_jobs)},
          {"failedJobIds", kJson, kShown, text(&SqlTexts::failed_jobs)},
          {"jobTags", kJson, kHidden, text(&SqlTexts::tags), ColumnRole::kTag},
          {"dbtNode", kText, kShown, dbt_node},
          {"description", kLongText, kShown, description},
          {"errorMessage", kLongText, kHidden, own(&SqlExecution::failure)},
          {"planDescription", kLongText, kHidden, own(&SqlExecution::plan_text)},
          {"nodes", kJson, kHidden, text(&SqlTexts::nodes)},
          {"edges", kJson, kHidden, text(&SqlTexts::edges)},
          {"planVersions", kJson, kHidden, text(&SqlTexts::versions)},
      }};
}

}  // namespace sparkprof
