// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "base/text/text.h"
#include "engines/engines.h"

namespace sparkprof {
namespace {

struct EngineCode {
  std::vector<std::pair<std::string_view, std::string_view>> frames;  // start of a function's name, of an operator's
  std::vector<std::string_view> wrappers;                             // start of a function's name
  std::vector<std::string_view> threads;                              // start of a name
};

EngineCode ReadEngineCode() {
  EngineCode code;
  for (const std::string_view line : Split(kEngineTables, '\n')) {
    const std::vector<std::string_view> fields = Split(line, '\t');
    if (fields[0] == "frame" && fields.size() > 2) code.frames.emplace_back(fields[1], fields[2]);
    if (fields[0] == "wrapper" && fields.size() > 1) code.wrappers.push_back(fields[1]);
    if (fields[0] == "thread" && fields.size() > 1) code.threads.push_back(fields[1]);
  }
  return code;
}

const EngineCode& Code() {
  static const EngineCode code = ReadEngineCode();
  return code;
}

bool BeginsWithAny(std::string_view text, const std::vector<std::string_view>& starts) {
  return std::any_of(starts.begin(), starts.end(), [&](std::string_view start) { return text.starts_with(start); });
}

// The part of a function's name that says what it computes: of a wrapper, the first of its parameters that is known.
// "RecordBatchStreamAdapter<AsyncStream<Result<…>, async_try_stream<…, <datafusion_physical_plan::sorts::merge::…".
std::string_view ComputingPart(std::string_view function) {
  // Rust's symbols of methods: "<datafusion_physical_plan::filter::FilterExecStream as Stream>::poll_next".
  if (function.starts_with('<')) function.remove_prefix(1);
  if (!BeginsWithAny(function, Code().wrappers)) return function;
  size_t first = function.size();
  for (const auto& [start, name] : Code().frames) {
    for (size_t at = function.find(start); at < first; at = function.find(start, at + 1)) {
      if (at > 0 && function[at - 1] == '<') first = at;
    }
  }
  return function.substr(first);
}

template <typename Accepts>
bool AnyFrame(std::string_view function, const Accepts& accepts) {
  const std::string_view part = ComputingPart(function);
  return std::any_of(Code().frames.begin(), Code().frames.end(),
                     [&](const auto& frame) { return part.starts_with(frame.first) && accepts(frame.second); });
}

}  // namespace

bool IsOperatorFrame(std::string_view function) {
  return AnyFrame(function, [](std::string_view) { return true; });
}

bool IsFrameOfOperator(std::string_view function, std::string_view operator_name) {
  // The lines about CometSort are not about CometSortMergeJoin, which has its own.
  size_t longest = 0;
  for (const auto& [text, start] : Code().frames) {
    if (operator_name.starts_with(start)) longest = std::max(longest, start.size());
  }
  return longest > 0 && AnyFrame(function, [&](std::string_view start) {
           return start.size() == longest && operator_name.starts_with(start);
         });
}

bool IsEngineThread(std::string_view name) { return BeginsWithAny(name, Code().threads); }

}  // namespace sparkprof
