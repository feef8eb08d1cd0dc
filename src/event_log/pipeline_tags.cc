// SPDX-License-Identifier: Apache-2.0
#include "event_log/pipeline_tags.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>

#include "model/table_name.h"

namespace sparkprof {
namespace {

bool Contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// The call site of a streaming flow is in the code that starts it; that of a batch flow is the client's request.
bool IsOfFlow(const SqlExecution& execution) {
  return Contains(execution.details, "org.apache.spark.sql.pipelines.graph.") ||
         (Contains(execution.details, "pipeline_command {") && Contains(execution.details, "start_run {"));
}

// Returns "sales" for "FileSink[file:/data/sales]"; other sinks are described by their table's name.
std::string TableOfSink(std::string_view sink) {
  constexpr std::string_view kFileSink = "FileSink[";
  if (!sink.starts_with(kFileSink) || !sink.ends_with(']')) return std::string(sink);
  sink.remove_prefix(kFileSink.size());
  sink.remove_suffix(1);
  return std::string(sink.substr(sink.rfind('/') + 1));
}

// The table that a plan writes.
std::string DatasetOf(const PlanNode& node) {
  std::string name = TableNameIn(node.text);
  for (size_t i = 0; i < node.children.size() && name.empty(); ++i) name = DatasetOf(node.children[i]);
  return name;
}

void AddTag(std::string_view kind, const std::string& name, Job* job) {
  if (name.empty()) return;
  std::string tag = std::string(kind) + name;
  if (std::find(job->tags.begin(), job->tags.end(), tag) == job->tags.end()) job->tags.push_back(std::move(tag));
}

}  // namespace

void AddPipelineTags(Application* application) {
  std::unordered_map<std::string_view, const StreamingQuery*> queries;  // by run ID, which is its jobs' group
  for (const StreamingQuery& query : application->streaming_queries) queries.emplace(query.run_id, &query);
  std::unordered_map<int64_t, const SqlExecution*> executions;
  for (const SqlExecution& execution : application->sql_executions) executions.emplace(execution.id, &execution);
  for (Job& job : application->jobs) {
    const auto execution = executions.find(job.sql_execution);
    if (execution == executions.end() || !IsOfFlow(*execution->second)) continue;
    const auto query = queries.find(job.group);
    const bool is_stream = query != queries.end();
    const std::string dataset = is_stream ? TableOfSink(query->second->sink) : DatasetOf(execution->second->plan);
    AddTag("flow:", is_stream ? query->second->name : dataset, &job);
    AddTag("dataset:", dataset, &job);
  }
}

}  // namespace sparkprof
