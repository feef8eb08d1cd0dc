// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

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
  std::string_view purpose;  // empty = the name says it
  bool is_required = false;
  std::string_view choices = {};  // separated by blanks; empty = any value
};

// Longer texts are refused: no ID and no expression needs more.
inline constexpr size_t kMaxArgumentBytes = 1000;

// `result`, whose error then names the argument that it is about.
template <typename T>
Result<T> OfArgument(std::string_view name, Result<T> result) {
  if (result) return result;
  return Fail(fmt::format("{}: {}", name, result.error().message));
}

// The arguments of a call, which fit the tool's parameters.
class ToolArguments {
 public:
  // `json`: an object. Numbers are accepted for texts and the other way around, because clients mix them up; null is
  // absent. Fails for unknown and missing arguments, and for values of another type or too long.
  static Result<ToolArguments> Parse(std::string_view json, std::span<const ToolParameter> parameters);

  std::string Text(std::string_view name) const;  // empty = absent
  std::optional<int64_t> Integer(std::string_view name) const;

 private:
  std::map<std::string, std::string, std::less<>> texts_;
  std::map<std::string, int64_t, std::less<>> integers_;
};

// A part of an answer's text that is not split: a line, or a finding with its lines.
struct AnswerBlock {
  std::string text;          // without the final end of line
  std::string finding = {};  // the same as JSON, for structured content; empty = it is no finding
};

struct ToolAnswer {
  std::vector<AnswerBlock> blocks;
  std::string verdict = {};  // of diagnose: the answer has structured content

  void Add(std::string text) { blocks.push_back({std::move(text)}); }
};

// Errors are for the agent: what is wrong with the call, and how to correct it.
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

}  // namespace sparkprof
