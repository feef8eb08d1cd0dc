// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "mcp/application_source.h"

namespace sparkprof {

enum class ParameterType : uint8_t { kText, kInteger };

struct ToolParameter {
  std::string_view name;
  ParameterType type = ParameterType::kText;
  std::string_view purpose;  // empty = the name is sufficient
  bool is_required = false;
  std::string_view choices = {};  // separated by spaces; empty = any value
};

// Longer texts are rejected: no ID and no expression needs more.
inline constexpr size_t kMaxArgumentBytes = 1000;

// Adds the argument's name to the error of `result`.
template <typename T>
Result<T> OfArgument(std::string_view name, Result<T> result) {
  if (result) return result;
  return Fail(fmt::format("{}: {}", name, result.error().message));
}

// Arguments of a call, validated against the tool's parameters.
class ToolArguments {
 public:
  // `json`: an object. Converts between numbers and texts, because clients confuse them; null means absent. Fails for
  // unknown or missing arguments, and for values of another type or too long.
  static Result<ToolArguments> Parse(std::string_view json, std::span<const ToolParameter> parameters);

  std::string Text(std::string_view name) const;  // empty = absent
  std::optional<int64_t> Integer(std::string_view name) const;

 private:
  std::map<std::string, std::string, std::less<>> texts_;
  std::map<std::string, int64_t, std::less<>> integers_;
};

// An indivisible part of an answer's text: a line, or a finding with its lines.
struct AnswerBlock {
  std::string text;          // without the final line end
  std::string finding = {};  // the finding as JSON, for structured content; empty = not a finding
};

struct ToolAnswer {
  std::vector<AnswerBlock> blocks;
  std::string verdict = {};  // set by diagnose: the answer has structured content

  void Add(std::string text) { blocks.push_back({std::move(text)}); }
};

// Errors are for the agent: the problem of the call, and how to fix it.
using ToolFunction = Result<ToolAnswer>(ApplicationSource* source, const ToolArguments& arguments);

struct Tool {
  std::string_view name;
  std::string_view title;
  std::string_view purpose;
  std::span<const ToolParameter> parameters;
  ToolFunction* answer;
};

// The eight tools, in the order in which an agent needs them.
std::span<const Tool> Tools();

ToolFunction AnswerFindApplications;
ToolFunction AnswerDiagnose;
ToolFunction AnswerExplain;
ToolFunction AnswerStacks;
ToolFunction AnswerCompare;
ToolFunction AnswerTune;
ToolFunction AnswerLogErrors;
ToolFunction AnswerSource;

// Size of an answer's page: at most 1,500 tokens of 4 characters.
inline constexpr size_t kMaxPageBytes = 6000;

struct AnswerPage {
  std::string text;
  std::string next_cursor;    // empty = last page
  size_t begin = 0, end = 0;  // range of its blocks
};

// The page of `answer` that starts at `cursor` (empty = the first), with as many blocks as fit. Truncates a block
// larger than a page. Fails for a cursor that is not the end of a page.
Result<AnswerPage> PageOf(const ToolAnswer& answer, const std::string& cursor);

}  // namespace sparkprof
