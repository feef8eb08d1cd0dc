// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "base/text/text.h"
#include "history/answer_parts.h"

namespace sparkprof {
namespace {

void Write(const HistoryConnectSession& session, int64_t /*now_ms*/, JsonWriter* json) {
  json->BeginObject()
      .Member("sessionId", session.id)
      .Member("userId", session.user)
      .Member("startTimestamp", session.start_ms)
      .Member("finishTimestamp", session.finish_ms)
      .Member("totalExecution", session.operations)
      .Member("totalTime", session.finish_ms - session.start_ms)
      .EndObject();
}

void WriteTexts(std::string_view key, const std::set<int64_t>& ids, JsonWriter* json) {
  json->Key(key).BeginArray();
  for (const int64_t id : ids) json->Value(std::to_string(id));
  json->EndArray();
}

void Write(const HistoryConnectOperation& operation, int64_t now_ms, JsonWriter* json) {
  const int64_t finish_ms = operation.finish_ms == 0 ? now_ms : operation.finish_ms;
  json->BeginObject()
      .Member("jobTag", operation.job_tag)
      .Member("operationId", operation.id)
      .Member("sessionId", operation.session)
      .Member("userId", operation.user)
      .Member("statement", operation.statement)
      .Member("state", "CLOSED")
      .Member("startTimestamp", operation.start_ms)
      .Member("finishTimestamp", operation.finish_ms)
      .Member("closeTimestamp", operation.close_ms)
      .Member("duration", operation.close_ms - operation.start_ms)
      .Member("executionTime", finish_ms - operation.start_ms);
  json->Member("sparkSessionTags", operation.tags);
  WriteTexts("jobIds", operation.jobs, json);
  WriteTexts("sqlExecIds", operation.sql_executions, json);
  json->Member("detail", operation.detail).EndObject();
}

// All rows unless `length` is given.
template <typename Rows>
HistoryAnswer List(const Rows& rows, HistoryParameters parameters, int64_t now_ms) {
  const std::optional<int64_t> offset = IntegerOr(parameters, "offset", 0);
  const std::optional<int64_t> length = IntegerOr(parameters, "length", -1);
  if (!offset || !length) return NoSuchPath();
  JsonWriter json;
  json.BeginArray();
  int64_t row = 0;
  for (const auto& [key, value] : rows) {
    if (*length <= 0 || (row >= *offset && row - *offset < *length)) Write(value, now_ms, &json);
    ++row;
  }
  json.EndArray();
  return JsonAnswer(&json);
}

template <typename Rows>
HistoryAnswer One(const Rows& rows, const std::string& key, std::string unknown, int64_t now_ms) {
  const auto found = rows.find(key);
  if (found == rows.end()) return NotFound(std::move(unknown));
  JsonWriter json;
  Write(found->second, now_ms, &json);
  return JsonAnswer(&json);
}

// Decodes base64url.
std::optional<std::string> DecodedUser(std::string text) {
  std::replace(text.begin(), text.end(), '-', '+');
  std::replace(text.begin(), text.end(), '_', '/');
  return Base64Decode(text);
}

}  // namespace

// Since Spark 4.3. Users may share session IDs, and a user's name may not be valid as a path segment.
HistoryAnswer AnswerConnect(const History& history, AnswerPath path, HistoryParameters parameters, int64_t now_ms) {
  if (path.empty()) return NoSuchPath();
  const bool is_list = path.size() == 1;
  if (path[0] == "sessions" && is_list) return List(history.connect_sessions, parameters, now_ms);
  if (path[0] == "operations" && is_list) return List(history.connect_operations, parameters, now_ms);
  if (path[0] == "sessions" && path.size() == 2) {
    const std::string encoded = ValueOr(parameters, "userId", "");
    if (ValuesOf(parameters, "userId").empty()) return {400, "userId is required."};
    const std::optional<std::string> user = DecodedUser(encoded);
    if (!user) return {400, "userId must be a base64url-encoded string."};
    return One(history.connect_sessions, *user + "/" + path[1], "unknown session id: " + path[1], now_ms);
  }
  if (path[0] == "operations" && path.size() == 2 && path[1] == "detail") {
    const std::string tag = ValueOr(parameters, "jobTag", "");
    if (tag.empty()) return {400, "jobTag is required."};
    return One(history.connect_operations, tag, "unknown jobTag: " + tag, now_ms);
  }
  return NoSuchPath();
}

}  // namespace sparkprof
