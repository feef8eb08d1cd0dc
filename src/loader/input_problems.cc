// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "loader/application_loader.h"

namespace sparkprof {

InputProblems ProblemsOf(const Inputs& inputs, const RecordingStatus& recordings,
                         const std::vector<InputOutcome>& outcomes, bool reads_fragments) {
  InputProblems problems;
  for (const InputOutcome& outcome : outcomes) {
    if (!outcome.problem.empty())
      problems.partly.push_back(fmt::format("{}: {}", outcome.input->path, outcome.problem));
    if (!outcome.window.empty()) problems.notes.push_back(fmt::format("{}: {}", outcome.input->path, outcome.window));
  }
  const std::vector<const Input*> files = inputs.Of(InputKind::kRecording);
  const std::string place = files.size() == 1 ? files.front()->path + ": " : std::string();
  for (const std::string& problem : RecordingProblems(recordings)) problems.partly.push_back(place + problem);
  for (const Unrecognized& one : inputs.unrecognized) {
    problems.unrecognized.push_back(fmt::format("{}: {}", one.path, one.reason));
  }
  for (const Input& input : inputs.inputs) {
    const bool has_no_application = input.kind == InputKind::kProfile || input.kind == InputKind::kFragment;
    if (has_no_application && !(reads_fragments && input.fragment != nullptr))
      problems.unrecognized.push_back(fmt::format("{}: {}", input.path, ReaderOf(input)));
  }
  problems.notes.insert(problems.notes.end(), inputs.notes.begin(), inputs.notes.end());
  return problems;
}

std::string ReaderOf(const Input& input) {
  if (input.fragment == nullptr) return "a profile; read it with `sparkprof flame`";
  return fmt::format("{}; `sparkprof findings` prints {}{}", input.fragment->name, input.fragment->answers,
                     input.kind == InputKind::kProfile ? ", `sparkprof flame` draws it" : "");
}

std::string SkippedLines(int64_t invalid, int64_t overlong) {
  std::vector<std::string> parts;
  const auto add = [&](int64_t count, const char* kind) {
    if (count > 0) parts.push_back(fmt::format("{} {} line{}", count, kind, count == 1 ? "" : "s"));
  };
  add(invalid, "invalid");
  add(overlong, "overlong");
  return parts.empty() ? std::string() : fmt::format("skipped {}", fmt::join(parts, " and "));
}

}  // namespace sparkprof
