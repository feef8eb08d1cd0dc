// SPDX-License-Identifier: Apache-2.0
#include "mcp/message.h"

#include <fmt/format.h>

#include "base/text/json_parser.h"
#include "base/text/json_writer.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

using simdjson::dom::element;

constexpr size_t kMaxDepth = 64;

McpMessage Refuse(int code, std::string problem, std::string id = "null") {
  return {.kind = McpMessageKind::kInvalid, .id = std::move(id), .error_code = code, .problem = std::move(problem)};
}

bool IsId(const element& id) { return id.is_string() || id.is_int64() || id.is_uint64(); }

}  // namespace

McpMessage ParseMcpMessage(std::string_view text) {
  if (text.size() > kMaxMessageBytes) {
    MessageIdFinder finder;
    finder.Add(text);
    return OversizedMessage(finder.Id());
  }
  JsonParser parser;
  element root;
  if (const auto error = parser.Parse(text, kMaxDepth).get(root); error != simdjson::SUCCESS) {
    return Refuse(kParseError, fmt::format("not JSON: {}", simdjson::error_message(error)));
  }
  if (root.is_array()) return Refuse(kInvalidRequest, "batches are not supported; send one message at a time");
  simdjson::dom::object object;
  if (root.get_object().get(object) != simdjson::SUCCESS) return Refuse(kInvalidRequest, "not a JSON object");

  McpMessage message;
  element id;
  const bool has_id = Find(object, "id", &id);
  if (has_id && !IsId(id)) return Refuse(kInvalidRequest, "id: must be a string or an integer");
  if (has_id) message.id = simdjson::minify(id);
  const auto refuse = [&](std::string problem) {
    return Refuse(kInvalidRequest, std::move(problem), has_id ? message.id : "null");
  };
  if (TextAt(object, "jsonrpc") != "2.0") return refuse("jsonrpc: must be \"2.0\"");
  element member;
  if (has_id && (Find(object, "result", &member) || Find(object, "error", &member))) {
    message.kind = McpMessageKind::kResponse;
    return message;
  }
  message.method = TextAt(object, "method");
  if (message.method.empty()) return refuse("method: must be a string");
  if (Find(object, "params", &member)) {
    if (!member.is_object()) return refuse("params: must be an object");
    message.params = simdjson::minify(member);
  }
  message.kind = has_id ? McpMessageKind::kRequest : McpMessageKind::kNotification;
  return message;
}

std::string CancelledRequest(const McpMessage& message) {
  JsonParser parser;
  element id;
  if (parser.Parse(message.params)["requestId"].get(id) != simdjson::SUCCESS || !IsId(id)) return {};
  return simdjson::minify(id);
}

// Keeps the quotes of strings. A text longer than an ID is cut, and is not an ID.
void MessageIdFinder::AddToMember(char c) {
  std::string& text = in_value_ ? value_ : key_;
  if (text.size() <= kMaxIdBytes) text.push_back(c);
}

void MessageIdFinder::Add(std::string_view part) {
  for (const char c : part) {
    const bool is_outside = depth_ == 1 && !in_string_;
    if (is_outside && c == ':' && !in_value_) {
      in_value_ = true;
    } else if (is_outside && (c == ',' || c == '}')) {
      if (Trim(key_) == "\"id\"" && value_.size() <= kMaxIdBytes) id_ = value_;
      key_.clear();
      value_.clear();
      in_value_ = false;
    } else if (depth_ >= 1) {
      AddToMember(c);
    }
    if (in_string_) {
      if (c == '"' && !is_escaped_) in_string_ = false;
      is_escaped_ = c == '\\' && !is_escaped_;
    } else if (c == '"') {
      in_string_ = true;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if (c == '}' || c == ']') {
      --depth_;
    }
  }
}

std::string MessageIdFinder::Id() const {
  JsonParser parser;
  element id;
  if (parser.Parse(id_).get(id) != simdjson::SUCCESS || !IsId(id)) return "null";
  return simdjson::minify(id);
}

McpMessage OversizedMessage(std::string id) {
  return Refuse(kInvalidRequest, fmt::format("longer than {}", FormatBytes(kMaxMessageBytes)), std::move(id));
}

std::string ResultResponse(std::string_view id, std::string_view result) {
  JsonWriter json;
  json.BeginObject().Member("jsonrpc", "2.0").Key("id").Raw(id).Key("result").Raw(result).EndObject();
  return json.Take();
}

std::string ErrorResponseTo(std::string_view id, int code, std::string_view text) {
  JsonWriter json;
  json.BeginObject().Member("jsonrpc", "2.0").Key("id").Raw(id).Key("error").BeginObject();
  json.Member("code", code).Member("message", text).EndObject().EndObject();
  return json.Take();
}

}  // namespace sparkprof
