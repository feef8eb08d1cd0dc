// SPDX-License-Identifier: Apache-2.0
#include "render/report/log_errors_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/time.h"

namespace sparkprof {
namespace {

void WriteText(std::string_view key, const std::string& text, JsonWriter* json) {
  json->Key(key);
  text.empty() ? json->Null() : json->Value(text);
}

void WriteTime(std::string_view key, int64_t time_ns, JsonWriter* json) {
  json->Key(key);
  time_ns == 0 ? json->Null() : json->Value(time_ns / kNanosPerMilli);
}

}  // namespace

void WriteLogErrors(const std::vector<LogError>& errors, ErrorMembers members, JsonWriter* json, size_t max_errors) {
  json->BeginArray();
  for (size_t i = 0; i < std::min(errors.size(), max_errors); ++i) {
    const LogError& error = errors[i];
    json->BeginObject().Member("fingerprint", fmt::format("{:016x}", error.fingerprint));
    if (members != ErrorMembers::kContract) json->Member("level", LogLevelName(error.level));
    json->Member("message", error.message);
    WriteText("exception", error.exception, json);
    WriteText("rootCause", error.root_cause, json);
    if (members == ErrorMembers::kLevelAndStack) json->Member("stack", error.stack);
    json->Member("count", error.count);
    WriteTime("first", error.first_ns, json);
    WriteTime("last", error.last_ns, json);
    json->Key("where").BeginArray();
    for (const std::string& place : error.where) json->Value(place);
    json->EndArray().EndObject();
  }
  json->EndArray();
}

}  // namespace sparkprof
