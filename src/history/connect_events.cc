// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/redaction/redaction.h"
#include "base/text/json_parser.h"
#include "history/replay.h"

namespace sparkprof {
namespace {

constexpr std::string_view kOperationTag = "SparkConnect_OperationTag_User_";

std::string SessionKey(const simdjson::dom::object& event) {
  return std::string(TextAt(event, "userId")) + "/" + std::string(TextAt(event, "sessionId"));
}

// Includes ended operations: log events may be out of order. Null = unknown.
HistoryConnectOperation* FindOperation(const std::string& job_tag, Replay* replay) {
  for (auto* const operations : {&replay->connect_operations, &replay->history->connect_operations}) {
    const auto found = operations->find(job_tag);
    if (found != operations->end()) return &found->second;
  }
  return nullptr;
}

}  // namespace

bool ReplayConnectSessionStarted(const simdjson::dom::object& event, Replay* replay) {
  HistoryConnectSession session;
  session.id = TextAt(event, "sessionId");
  session.user = TextAt(event, "userId");
  session.start_ms = CountAt(event, "eventTime", 0);
  if (session.id.empty()) return false;
  replay->connect_sessions.try_emplace(SessionKey(event), std::move(session));
  return true;
}

bool ReplayConnectSessionClosed(const simdjson::dom::object& event, Replay* replay) {
  auto session = replay->connect_sessions.extract(SessionKey(event));
  if (session.empty()) return true;
  session.mapped().finish_ms = CountAt(event, "eventTime", 0);
  replay->history->connect_sessions[session.key()] = std::move(session.mapped());
  return true;
}

bool ReplayConnectOperationStarted(const simdjson::dom::object& event, Replay* replay) {
  HistoryConnectOperation operation;
  operation.job_tag = TextAt(event, "jobTag");
  operation.id = TextAt(event, "operationId");
  operation.session = TextAt(event, "sessionId");
  operation.user = TextAt(event, "userId");
  operation.statement = RedactText(TextAt(event, "statementText"));
  operation.start_ms = CountAt(event, "eventTime", 0);
  if (operation.job_tag.empty()) return false;
  simdjson::dom::array tags;
  if (ArrayAt(event, "sparkSessionTags", &tags)) {
    for (const simdjson::dom::element tag : tags) operation.tags.insert(RedactText(TextOf(tag)));
  }
  const std::string key = operation.job_tag;
  replay->connect_operations.try_emplace(key, std::move(operation));
  const auto session = replay->connect_sessions.find(SessionKey(event));
  if (session != replay->connect_sessions.end()) ++session->second.operations;
  return true;
}

bool ReplayConnectOperationFinished(const simdjson::dom::object& event, Replay* replay) {
  const auto operation = replay->connect_operations.find(std::string(TextAt(event, "jobTag")));
  if (operation == replay->connect_operations.end()) return true;
  operation->second.finish_ms = CountAt(event, "eventTime", 0);
  if (const std::string_view reason = TextAt(event, "errorMessage"); !reason.empty()) {
    operation->second.detail = RedactText(reason);
  }
  return true;
}

bool ReplayConnectOperationClosed(const simdjson::dom::object& event, Replay* replay) {
  auto operation = replay->connect_operations.extract(std::string(TextAt(event, "jobTag")));
  if (operation.empty()) return true;
  operation.mapped().close_ms = CountAt(event, "eventTime", 0);
  replay->history->connect_operations[operation.key()] = std::move(operation.mapped());
  return true;
}

void ReplayConnectJob(const std::vector<std::string>& tags, int64_t job, Replay* replay) {
  const auto tag =
      std::find_if(tags.begin(), tags.end(), [](const std::string& one) { return one.starts_with(kOperationTag); });
  HistoryConnectOperation* const operation = tag == tags.end() ? nullptr : FindOperation(*tag, replay);
  if (operation != nullptr) operation->jobs.insert(job);
}

void ReplayConnectSql(const simdjson::dom::object& event, int64_t execution, Replay* replay) {
  simdjson::dom::array tags;
  if (!ArrayAt(event, "jobTags", &tags)) return;
  for (const simdjson::dom::element element : tags) {
    const std::string tag(TextOf(element));
    if (!tag.starts_with(kOperationTag)) continue;
    HistoryConnectOperation* const operation = FindOperation(tag, replay);
    if (operation != nullptr) operation->sql_executions.insert(execution);
    return;
  }
}

}  // namespace sparkprof
