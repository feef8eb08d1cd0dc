// SPDX-License-Identifier: Apache-2.0
#include "mcp/tool.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text/json_parser.h"
#include "base/text/text.h"
#include "mcp/job_text.h"

namespace sparkprof {
namespace {

constexpr std::string_view kApplicationPurpose = "ID from find_applications; may be left out if there is only one";
constexpr std::string_view kCursorPurpose = "from the end of the page before";

constexpr ToolParameter kApplication{"application", ParameterType::kText, kApplicationPurpose};
constexpr ToolParameter kCursor{"cursor", ParameterType::kText, kCursorPurpose};
constexpr ToolParameter kStage{"stage", ParameterType::kText, "ID, or ID.ATTEMPT"};
constexpr ToolParameter kTask{"task", ParameterType::kInteger, "TID"};
constexpr ToolParameter kExecutor{"executor"};
constexpr ToolParameter kSql{"sql", ParameterType::kInteger, "SQL execution"};
constexpr ToolParameter kEvent{"event", ParameterType::kText, "default: wall", false, "wall cpu alloc lock live"};

constexpr ToolParameter kFindParameters[] = {{"search", ParameterType::kText, "part of the ID, name or user"}, kCursor};
constexpr ToolParameter kDiagnoseParameters[] = {kApplication, kCursor};
constexpr ToolParameter kExplainParameters[] = {kApplication, kStage, kTask, kExecutor, kSql, kCursor};
constexpr ToolParameter kStacksParameters[] = {
    kApplication,
    kEvent,
    kStage,
    kTask,
    kExecutor,
    {"job", ParameterType::kInteger, ""},
    kSql,
    {"through", ParameterType::kText, "regular expression: only stacks with a matching frame"},
    {"baseline", ParameterType::kText,
     "difference to: \"stage\" (the other tasks of the task's stage), or the ID of another application"},
    kCursor};
constexpr ToolParameter kCompareParameters[] = {
    {"before", ParameterType::kText, "ID of the baseline", true}, {"after", ParameterType::kText, "ID", true}, kCursor};
constexpr ToolParameter kTuneParameters[] = {
    kApplication, {"goal", ParameterType::kText, "default: cost", false, "cost time"}, kCursor};
constexpr ToolParameter kLogParameters[] = {
    kApplication, {"search", ParameterType::kText, "part of the message or stack trace"}, kCursor};
constexpr ToolParameter kSourceParameters[] = {
    kApplication,
    {"file", ParameterType::kText, "as in frames: job.py, or job.py:18; without it, the most expensive lines"},
    {"line", ParameterType::kInteger, ""},
    kEvent,
    kCursor};

constexpr Tool kTools[] = {
    {"find_applications", "Find applications",
     "List Spark applications, latest first: ID, name, start, duration, status, inputs.", kFindParameters,
     AnswerFindApplications},
    {"diagnose", "Diagnose an application",
     "Why an application was slow or failed. Start here. Verdict, then findings, most important first: evidence, line "
     "of "
     "code, change, saving; and what was not measured.",
     kDiagnoseParameters, AnswerDiagnose},
    {"explain", "Explain a stage, query, task or executor",
     "A stage's metrics, its slowest tasks and code; a query's stages and operators; a task or executor against the "
     "median of its peers. Without a selection: the stage with the most time.",
     kExplainParameters, AnswerExplain},
    {"stacks", "Heaviest call paths",
     "Where sampled time or memory goes: top functions and heaviest call paths of a selection, or its difference to a "
     "baseline.",
     kStacksParameters, AnswerStacks},
    {"compare", "Compare two runs",
     "Two runs of a job: why the later is slower or faster, stages and settings that changed, findings gone and new.",
     kCompareParameters, AnswerCompare},
    {"tune", "Tune settings",
     "Spark settings for the next run, each with its value now and the reason; predicted time and memory.",
     kTuneParameters, AnswerTune},
    {"log_errors", "Errors in logs",
     "Warnings and errors in the text logs, equal ones once, newest first, with root cause and place.", kLogParameters,
     AnswerLogErrors},
    {"source", "Cost of source lines",
     "Samples by source line: a line and its neighbors in a file, or the most expensive lines of the user's code.",
     kSourceParameters, AnswerSource},
};

std::string NamesOf(std::span<const ToolParameter> parameters) {
  std::vector<std::string_view> names;
  for (const ToolParameter& parameter : parameters) names.push_back(parameter.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

bool IsChoice(std::string_view choices, std::string_view value) {
  const std::vector<std::string_view> all = Split(choices, ' ');
  return choices.empty() || std::find(all.begin(), all.end(), value) != all.end();
}

}  // namespace

std::span<const Tool> Tools() { return kTools; }

Result<ToolArguments> ToolArguments::Parse(std::string_view json, std::span<const ToolParameter> parameters) {
  JsonParser parser;
  simdjson::dom::object object;
  if (parser.Parse(json).get_object().get(object) != simdjson::SUCCESS) return Fail("arguments: must be an object");
  ToolArguments arguments;
  for (const auto& [key, value] : object) {
    const auto known = std::find_if(parameters.begin(), parameters.end(),
                                    [name = key](const ToolParameter& one) { return one.name == name; });
    if (known == parameters.end()) {
      return Fail(fmt::format("unknown argument {}; expected {}", Marked(key, 40), NamesOf(parameters)));
    }
    if (value.is_null()) continue;
    const bool is_whole = value.is_int64();
    const std::string text = is_whole ? std::to_string(IntegerOf(value, 0)) : std::string(TextOf(value));
    const std::optional<int64_t> number = ParseInteger(text);
    if (known->type == ParameterType::kInteger && !number) return Fail(fmt::format("{}: must be an integer", key));
    if (text.size() > kMaxArgumentBytes) {
      return Fail(fmt::format("{}: expected at most {} bytes, found {}", key, kMaxArgumentBytes, text.size()));
    }
    if (known->type == ParameterType::kText && !is_whole && !value.is_string() && !value.is_double()) {
      return Fail(fmt::format("{}: must be a string", key));
    }
    if (number && known->type == ParameterType::kInteger) arguments.integers_.emplace(known->name, *number);
    if (known->type == ParameterType::kText) {
      // A stage given as the number 3.0.
      const std::string written(WithoutMarks(value.is_double() ? simdjson::minify(value) : text));
      if (!written.empty() && !IsChoice(known->choices, written)) {
        return Fail(fmt::format("{}: must be one of {}", key, known->choices));
      }
      arguments.texts_.emplace(known->name, written);
    }
  }
  for (const ToolParameter& parameter : parameters) {
    if (parameter.is_required && arguments.Text(parameter.name).empty()) {
      return Fail(fmt::format("missing argument {}", parameter.name));
    }
  }
  return arguments;
}

std::string ToolArguments::Text(std::string_view name) const {
  const auto found = texts_.find(name);
  return found == texts_.end() ? std::string() : found->second;
}

std::optional<int64_t> ToolArguments::Integer(std::string_view name) const {
  const auto found = integers_.find(name);
  return found == integers_.end() ? std::nullopt : std::optional<int64_t>(found->second);
}

}  // namespace sparkprof
