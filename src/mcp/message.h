// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sparkprof {

enum class McpMessageKind : uint8_t {
  kRequest,
  kNotification,
  kResponse,  // a response of the client; unexpected, because this server never sends requests
  kInvalid,
};

// Error codes of JSON-RPC 2.0.
inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;
inline constexpr int kRequestCancelled = -32800;  // as in the Language Server Protocol

// Longer messages are rejected without parsing.
inline constexpr size_t kMaxMessageBytes = size_t{1} << 20;

// A JSON-RPC 2.0 message from a client.
struct McpMessage {
  McpMessageKind kind = McpMessageKind::kInvalid;
  std::string id;             // as JSON: 7 or "a"; null if unknown, empty for a notification
  std::string method;         // set for requests and notifications
  std::string params = "{}";  // a JSON object
  int error_code = 0;         // set for kInvalid
  std::string problem;        // set for kInvalid
};
McpMessage ParseMcpMessage(std::string_view text);

// The ID of the request that a cancellation notification refers to, as McpMessage::id; empty if missing.
std::string CancelledRequest(const McpMessage& message);

// Finds the ID of a message that is too long to keep, from its parts in order, of any size.
class MessageIdFinder {
 public:
  void Add(std::string_view part);
  // The ID in the form of McpMessage::id; null if missing, or neither a string nor an integer.
  std::string Id() const;

 private:
  static constexpr size_t kMaxIdBytes = 256;

  void AddToMember(char c);

  int depth_ = 0;
  bool in_string_ = false, is_escaped_ = false;
  std::string key_, value_;  // current member of the outermost object
  bool in_value_ = false;
  std::string id_;
};

McpMessage OversizedMessage(std::string id);

// Responses, one line each without line end. `id` and `result` are JSON.
std::string ResultResponse(std::string_view id, std::string_view result);
std::string ErrorResponseTo(std::string_view id, int code, std::string_view text);

}  // namespace sparkprof
