// SPDX-License-Identifier: Apache-2.0
#include "event_log/tags/job_tags.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/text/text.h"
#include "model/query_text.h"

namespace sparkprof {
namespace {

constexpr size_t kUuidLength = 36;

void AddOnce(std::string tag, std::vector<std::string>* tags) {
  if (std::find(tags->begin(), tags->end(), tag) == tags->end()) tags->push_back(std::move(tag));
}

// ExecuteJobTag and ExecuteSessionTag of Spark Connect:
//   SparkConnect_OperationTag_User_NAME_Session_ID_Operation_ID
//   SparkConnect_SessionTag_User_NAME_Session_ID_Tag_TAG
// Names and tags may contain "_"; IDs are UUIDs.
bool AddConnectTags(std::string_view text, std::vector<std::string>* tags) {
  constexpr std::string_view kOperation = "SparkConnect_OperationTag_User_", kSession = "SparkConnect_SessionTag_User_",
                             kSessionId = "_Session_", kOperationId = "_Operation_", kTag = "_Tag_";
  const bool is_operation = text.starts_with(kOperation);
  if (!is_operation && !text.starts_with(kSession)) return false;
  const std::string_view rest = text.substr(is_operation ? kOperation.size() : kSession.size());
  const std::string_view last = is_operation ? kOperationId : kTag;
  for (size_t at = rest.find(kSessionId); at != std::string_view::npos; at = rest.find(kSessionId, at + 1)) {
    const std::string_view session = rest.substr(at + kSessionId.size()).substr(0, kUuidLength);
    const std::string_view after = rest.substr(at + kSessionId.size() + session.size());
    if (session.size() < kUuidLength || !after.starts_with(last)) continue;
    if (at > 0) AddOnce("user:" + std::string(rest.substr(0, at)), tags);
    AddOnce("session:" + std::string(session), tags);
    AddOnce((is_operation ? "operation:" : "") + std::string(after.substr(last.size())), tags);
    return true;
  }
  return false;
}

// Strips the tags that SparkSession prepends to tags of Spark 4: "spark-session-UUID",
// "spark-session-UUID-execution-root-id-3".
std::string_view WithoutSession(std::string_view text) {
  constexpr std::string_view kSession = "spark-session-", kRoot = "execution-root-id-";
  if (!text.starts_with(kSession) || text.size() < kSession.size() + kUuidLength) return text;
  text.remove_prefix(kSession.size() + kUuidLength);
  if (text.starts_with('-')) text.remove_prefix(1);
  return text.starts_with(kRoot) ? std::string_view() : text;
}

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

std::vector<std::string> JobTags(std::string_view property) {
  std::vector<std::string> tags;
  for (const std::string_view text : Split(property, ',')) {
    if (AddConnectTags(text, &tags)) continue;
    if (const std::string_view tag = WithoutSession(text); !tag.empty()) AddOnce(std::string(tag), &tags);
  }
  return tags;
}

void AddDbtTags(Application* application) {
  std::unordered_map<int64_t, std::string> nodes;  // dbt node by SQL execution
  for (const SqlExecution& execution : application->sql_executions) {
    if (std::string node = DbtNodeOf(execution.description); !node.empty())
      nodes.emplace(execution.id, std::move(node));
  }
  for (Job& job : application->jobs) {
    std::string node = DbtNodeOf(job.description);
    const auto of_query = nodes.find(job.sql_execution);
    if (node.empty() && of_query != nodes.end()) node = of_query->second;
    if (node.empty()) continue;
    std::string tag = "dbt:" + node;
    if (std::find(job.tags.begin(), job.tags.end(), tag) == job.tags.end()) job.tags.push_back(std::move(tag));
  }
}

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
