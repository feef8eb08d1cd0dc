// SPDX-License-Identifier: Apache-2.0
#include "engines/engine_code.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "engines/engine_tables.h"

namespace sparkprof {
namespace {

struct EngineCode {
  std::vector<std::pair<std::string_view, std::string_view>> frames;  // start of a function's name, of an operator's
  std::vector<std::string_view> threads;                              // start of a name
};

EngineCode ReadEngineCode() {
  EngineCode code;
  for (const std::string_view line : Split(kEngineTables, '\n')) {
    const std::vector<std::string_view> fields = Split(line, '\t');
    if (fields[0] == "frame" && fields.size() > 2) code.frames.emplace_back(fields[1], fields[2]);
    if (fields[0] == "thread" && fields.size() > 1) code.threads.push_back(fields[1]);
  }
  return code;
}

const EngineCode& Code() {
  static const EngineCode code = ReadEngineCode();
  return code;
}

template <typename Accepts>
bool AnyFrame(std::string_view function, const Accepts& accepts) {
  // Rust's symbols of methods: "<datafusion_physical_plan::filter::FilterExecStream as Stream>::poll_next".
  if (function.starts_with('<')) function.remove_prefix(1);
  return std::any_of(Code().frames.begin(), Code().frames.end(),
                     [&](const auto& frame) { return function.starts_with(frame.first) && accepts(frame.second); });
}

}  // namespace

bool IsOperatorFrame(std::string_view function) {
  return AnyFrame(function, [](std::string_view) { return true; });
}

bool IsFrameOfOperator(std::string_view function, std::string_view operator_name) {
  return AnyFrame(function, [&](std::string_view start) { return operator_name.starts_with(start); });
}

bool IsEngineThread(std::string_view name) {
  return std::any_of(Code().threads.begin(), Code().threads.end(),
                     [&](std::string_view start) { return name.starts_with(start); });
}

}  // namespace sparkprof
