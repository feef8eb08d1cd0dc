// SPDX-License-Identifier: Apache-2.0
#include "event_log/job_tags.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

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

}  // namespace

std::vector<std::string> JobTags(std::string_view property) {
  std::vector<std::string> tags;
  for (const std::string_view text : Split(property, ',')) {
    if (AddConnectTags(text, &tags)) continue;
    if (const std::string_view tag = WithoutSession(text); !tag.empty()) AddOnce(std::string(tag), &tags);
  }
  return tags;
}

}  // namespace sparkprof
