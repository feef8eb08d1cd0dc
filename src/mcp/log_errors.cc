// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text/text.h"
#include "base/time.h"
#include "mcp/facts.h"
#include "mcp/job_text.h"
#include "mcp/tool.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxStackLines = 3;
constexpr size_t kMaxErrors = 200;

bool Contains(std::string_view text, const std::string& lower) {
  return ToLowerAscii(text).find(lower) != std::string::npos;
}

std::string ErrorText(const LogError& error) {
  const std::string_view level = error.level == LogLevel::kNone ? "no level" : LogLevelName(error.level);
  std::string text = fmt::format("{} × {} {}", level, error.count, Marked(error.message, 240));
  if (!error.root_cause.empty()) text += fmt::format("\n  Root cause: {}", Marked(error.root_cause, 240));
  const auto time = [](int64_t ns) { return ns == 0 ? std::string("time unknown") : FormatTimestamp(ns); };
  text += fmt::format("\n  {}{}", time(error.last_ns),
                      error.where.empty() ? "" : " at " + Marked(error.where.front(), 120));
  std::vector<std::string> frames;
  for (const std::string_view line : Split(error.stack, '\n')) {
    if (frames.size() < kMaxStackLines && !Trim(line).empty()) frames.push_back(Unmarked(Trim(line), 120));
  }
  if (!frames.empty()) text += "\n  " + Marked(fmt::format("{}", fmt::join(frames, " | ")), 400);
  return text + " [text log]";
}

}  // namespace

Result<ToolAnswer> AnswerLogErrors(ApplicationSource* source, const ToolArguments& arguments) {
  const Result<AskedApplication> asked = LoadAsked(source, arguments);
  if (!asked) return tl::unexpected(asked.error());
  ToolAnswer answer;
  if (asked->recorded->logs.Size() == 0) {
    answer.Add(
        fmt::format("{}: no text log was read, so errors are unknown. Name the driver's or executors' logs as "
                    "inputs, too. diagnose has the failures of the event log.",
                    Marked(asked->recorded->id, 80)));
    return answer;
  }
  const std::string search = ToLowerAscii(arguments.Text("search"));
  std::vector<const LogError*> errors;
  for (const LogError& error : asked->answers->errors) {
    if (Contains(error.message, search) || Contains(error.stack, search) || Contains(error.root_cause, search)) {
      errors.push_back(&error);
    }
  }
  answer.Add(fmt::format("{}: {} different warnings and errors{}, newest first. {}", Marked(asked->recorded->id, 80),
                         errors.size(), search.empty() ? "" : " that match", kMarkNote));
  for (size_t i = 0; i < std::min(errors.size(), kMaxErrors); ++i) answer.Add(ErrorText(*errors[i]));
  if (errors.size() > kMaxErrors) answer.Add("Older ones are not listed: use search.");
  return answer;
}

}  // namespace sparkprof
