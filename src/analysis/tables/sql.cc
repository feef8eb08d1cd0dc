// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <unordered_map>

#include "analysis/tables/cells.h"
#include "analysis/tables/tables.h"
#include "model/query_text.h"

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
    json.Key("changes").Raw(TextsJson(version.changes)).EndObject();
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
  return TextsJson(tags);
}

// The execution's jobs with this status; those of which nothing is known count as running.
std::string JobsJson(const SqlExecution& execution, const JobsById& jobs, RunStatus wanted) {
  std::vector<int64_t> ids;
  for (const int64_t id : execution.jobs) {
    const auto job = jobs.find(id);
    const RunStatus status = job == jobs.end() ? RunStatus::kRunning : job->second->status;
    const bool has_ended = status == RunStatus::kSucceeded || status == RunStatus::kFailed;
    if ((has_ended ? status : RunStatus::kRunning) == wanted) ids.push_back(id);
  }
  return IdsJson(ids);
}

std::string PlanJson(const SqlExecution& execution, bool is_edges) {
  JsonWriter nodes, edges;
  nodes.BeginArray();
  edges.BeginArray();
  int64_t next = 0;
  if (!execution.plan.name.empty()) WritePlan(execution.plan, -1, &next, &nodes, &edges);
  return (is_edges ? edges : nodes).EndArray().Take();
}

}  // namespace

Table SqlTable(const Application& application) {
  using enum ColumnType;
  using enum Visibility;
  const auto& executions = application.sql_executions;
  const MemberCells of(&executions);
  const auto jobs = std::make_shared<JobsById>();
  for (const Job& job : application.jobs) jobs->emplace(job.id, &job);
  const auto jobs_with = [&](RunStatus status) {
    return of.MadeText([jobs, status](const SqlExecution& one) { return JobsJson(one, *jobs, status); });
  };
  return {.name = "sql",
          .rows = executions.size(),
          .columns = {
              {"id", "ID of the SQL execution", kInteger, kEverywhere, of.Value(&SqlExecution::id), ColumnRole::kSql},
              {"rootExecutionId", "SQL execution that started it, or its own", kInteger, kHidden,
               of.Id(&SqlExecution::root_id)},
              {"status", "RUNNING, COMPLETED or FAILED", kText, kEverywhere,
               of.Of([](const SqlExecution& one) { return SqlStatusText(one.status); })},
              {"submissionTime", "start", kTime, kOnPage, of.Time(&SqlExecution::start_ns), ColumnRole::kBegin},
              {"completionTime", "end; null while it runs", kTime, kOnPage, of.Time(&SqlExecution::end_ns),
               ColumnRole::kEnd},
              {"duration", "from start to end", kMillis, kShown,
               of.Duration(&SqlExecution::start_ns, &SqlExecution::end_ns)},
              {"runningJobIds", "its jobs that run", kJson, kOnPage, jobs_with(RunStatus::kRunning)},
              {"successJobIds", "its jobs that succeeded", kJson, kEverywhere, jobs_with(RunStatus::kSucceeded)},
              {"failedJobIds", "its jobs that failed", kJson, kEverywhere, jobs_with(RunStatus::kFailed)},
              {"jobTags", "tags of its jobs", kJson, kHidden,
               of.MadeText([jobs](const SqlExecution& one) { return TagsJson(one, *jobs); }), ColumnRole::kTag},
              {"dbtNode", "model of dbt that it belongs to", kText, kShown,
               of.MadeText([](const SqlExecution& one) { return DbtNodeOf(one.description); })},
              {"description", "description or query, with the node of dbt in place of its comment", kLongText,
               kEverywhere, of.MadeText([](const SqlExecution& one) { return ReadableQuery(one.description); })},
              {"errorMessage", "why it failed", kLongText, kOnPage, of.Text(&SqlExecution::failure)},
              {"planDescription", "plan as text", kLongText, kHidden, of.Text(&SqlExecution::plan_text)},
              {"nodes", "nodes of the plan with their metrics: times in ns, sizes in bytes", kJson, kHidden,
               of.MadeText([](const SqlExecution& one) { return PlanJson(one, false); })},
              {"edges", "edges of the plan, from a node to the one that reads it", kJson, kHidden,
               of.MadeText([](const SqlExecution& one) { return PlanJson(one, true); })},
              {"planVersions", "changes of the plan by adaptive execution, and the stage that had ended before", kJson,
               kOnPage, of.MadeText([](const SqlExecution& one) { return VersionsJson(one.plan_versions); })},
          }};
}

}  // namespace sparkprof
