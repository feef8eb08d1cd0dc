// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "mcp/application_source.h"
#include "mcp/message.h"

namespace sparkprof {

// The newest supported version of the protocol, and what a server answers to a client that asks for `requested`.
inline constexpr std::string_view kNewestProtocol = "2025-06-18";
std::string_view NegotiateProtocol(std::string_view requested);
bool IsProtocol(std::string_view version);

// A server of the Model Context Protocol: tools and prompts, all of which only read. Keeps no state between messages,
// so that it serves a pipe and HTTP alike. Thread-safe.
class McpServer {
 public:
  explicit McpServer(ApplicationSource* source) : source_(source) {}

  // The response, one line; nothing for notifications and for responses of the client. Throws Cancellation::Canceled.
  std::optional<std::string> Answer(const McpMessage& message) const;

 private:
  std::string CallTool(const McpMessage& message) const;

  ApplicationSource* source_;
};

}  // namespace sparkprof
