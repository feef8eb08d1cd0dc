// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "mcp/job_text.h"
#include "mcp/mcp_server.h"
#include "mcp/tool.h"

namespace sparkprof {
namespace {

struct Prompt {
  std::string_view name;
  std::string_view title;
  std::string_view purpose;
  std::span<const ToolParameter> parameters;
  std::string_view text;  // {} is replaced by each argument in order
};

constexpr ToolParameter kOneApplication[] = {{"application", ParameterType::kText, "ID; empty = the only one"}};
constexpr ToolParameter kRuns[] = {{"before", ParameterType::kText, "ID of the baseline", true},
                                   {"after", ParameterType::kText, "ID of the later run", true}};

constexpr Prompt kPrompts[] = {
    {"why_slow", "Why is it slow?", "Find the cause of a slow Spark application and what to change", kOneApplication,
     "Why is the Spark application {} slow, and what should I change? Call diagnose. Confirm its first finding with "
     "explain or stacks on the finding's stage. Answer with the cause, its evidence, the line of code, the change and "
     "the expected saving, and say what was not measured."},
    {"why_failed", "Why did it fail?", "Find the cause of a failed Spark application", kOneApplication,
     "Why did the Spark application {} fail? Call diagnose, then log_errors for the root cause. Separate the first "
     "failure from those that it caused. Answer with the cause, the log line or finding that shows it, and the "
     "change."},
    {"what_changed", "What changed?", "Explain why one run of a job was slower or faster than another", kRuns,
     "What changed between the runs {} (before) and {} (after) of this Spark job? Call compare. For the stage with the "
     "largest change, call stacks on the later run with the earlier one as baseline. Answer with the cause and its "
     "evidence; if data or settings changed, say so first."},
};

}  // namespace

std::string ListPrompts() {
  JsonWriter json;
  json.BeginObject().Key("prompts").BeginArray();
  for (const Prompt& prompt : kPrompts) {
    json.BeginObject().Member("name", prompt.name).Member("title", prompt.title).Member("description", prompt.purpose);
    json.Key("arguments").BeginArray();
    for (const ToolParameter& one : prompt.parameters) {
      json.BeginObject().Member("name", one.name).Member("description", one.purpose);
      json.Member("required", one.is_required).EndObject();
    }
    json.EndArray().EndObject();
  }
  return json.EndArray().EndObject().Take();
}

Result<std::string> GetPrompt(std::string_view name, std::string_view arguments) {
  const auto* const prompt =
      std::find_if(std::begin(kPrompts), std::end(kPrompts), [name](const Prompt& one) { return one.name == name; });
  if (prompt == std::end(kPrompts)) return Fail(fmt::format("unknown prompt: {}", Marked(name, 60)));
  const Result<ToolArguments> parsed = ToolArguments::Parse(arguments, prompt->parameters);
  if (!parsed) return tl::unexpected(parsed.error());
  std::string text(prompt->text);
  size_t at = 0;
  for (const ToolParameter& parameter : prompt->parameters) {
    const std::string value = parsed->Text(parameter.name);
    const std::string shown = value.empty() ? "that find_applications lists" : Marked(value, 120);
    at = text.find("{}", at);
    text.replace(at, 2, shown);
    at += shown.size();
  }
  JsonWriter json;
  json.BeginObject().Member("description", prompt->purpose).Key("messages").BeginArray().BeginObject();
  json.Member("role", "user").Key("content").BeginObject().Member("type", "text").Member("text", text).EndObject();
  json.EndObject().EndArray().EndObject();
  return json.Take();
}

}  // namespace sparkprof
