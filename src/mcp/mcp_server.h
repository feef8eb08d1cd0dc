// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "mcp/application_source.h"
#include "mcp/message.h"

namespace sparkprof {

// The newest supported protocol version, and the version that the server chooses if a client requests `requested`.
inline constexpr std::string_view kNewestProtocol = "2025-06-18";
std::string_view NegotiateProtocol(std::string_view requested);
bool IsProtocol(std::string_view version);

// Model Context Protocol server with read-only tools and prompts. Keeps no state between messages, so it works for both
// pipes and HTTP. Thread-safe.
class McpServer {
 public:
  explicit McpServer(ApplicationSource* source) : source_(source) {}

  // The response, one line; nullopt for notifications and responses of the client. Throws Cancellation::Canceled.
  std::optional<std::string> Answer(const McpMessage& message) const;

 private:
  std::string CallTool(const McpMessage& message) const;

  ApplicationSource* source_;
};

// Results of prompts/list and prompts/get as JSON: why_slow, why_failed, what_changed.
std::string ListPrompts();
// Fails for an unknown prompt, and for unknown or missing arguments.
Result<std::string> GetPrompt(std::string_view name, std::string_view arguments);

// The content of SKILL.md: how an agent uses sparkprof's tools and command line. The tools are those of Tools().
std::string SkillText();

}  // namespace sparkprof
