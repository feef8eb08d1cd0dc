// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "analysis/comparison/compared_runs.h"
#include "analysis/comparison/run_causes.h"
#include "analysis/comparison/run_comparison.h"
#include "analysis/findings/advice.h"
#include "base/text/text.h"
#include "mcp/facts.h"
#include "mcp/job_text.h"
#include "mcp/tool.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxCauses = 10, kMaxStages = 20, kMaxSettings = 40;

std::string SignedDuration(int64_t ns) { return (ns < 0 ? "-" : "+") + FormatDuration(std::abs(ns)); }

void AddFindings(std::string_view title, const std::vector<const Finding*>& findings, const Application& application,
                 ToolAnswer* answer) {
  if (!findings.empty()) answer->Add(std::string(title));
  for (const Finding* const one : findings) {
    answer->Add(fmt::format("  {} {} {}", one->rule, Marked(one->title), SourceOfFinding(application, *one)));
  }
}

std::string StageLine(const StageChange& stage, std::string_view source) {
  const auto ids = [](const std::vector<int64_t>& all) {
    return all.empty() ? std::string("none") : fmt::format("{}", fmt::join(all, ","));
  };
  std::string line = fmt::format("  {} -> {}  {} (stages {} -> {}) [{}]", FormatDuration(stage.before_ns),
                                 FormatDuration(stage.after_ns), Marked(stage.name, 120), ids(stage.before_ids),
                                 ids(stage.after_ids), source);
  for (const std::string& cause : stage.causes) line += fmt::format("\n    {}", Marked(cause));
  return line;
}

}  // namespace

Result<ToolAnswer> AnswerCompare(ApplicationSource* source, const ToolArguments& arguments) {
  const Result<AskedApplication> before = OfArgument("before", source->Load(arguments.Text("before")));
  if (!before) return tl::unexpected(before.error());
  const Result<AskedApplication> after = OfArgument("after", source->Load(arguments.Text("after")));
  if (!after) return tl::unexpected(after.error());
  const Application &earlier = *before->recorded, &later = *after->recorded;
  const RunComparison comparison = CompareRuns(earlier, later);
  const std::vector<RunCause> causes =
      CausesOfChange(comparison, earlier, before->answers->stages, later, after->answers->stages);
  const FindingChanges findings = CompareFindings(earlier, *before->answers, later, *after->answers);
  const std::string_view tasks = SourceOfTasks(later);

  ToolAnswer answer;
  answer.Add(fmt::format("{} {} -> {} {}: {} -> {}, {:+.1f}% [{}]. {}", Marked(earlier.name, 60),
                         Marked(earlier.id, 80), Marked(later.name, 60), Marked(later.id, 80),
                         FormatDuration(comparison.before_ns), FormatDuration(comparison.after_ns),
                         comparison.Change() * 100, tasks, kMarkNote));
  answer.Add(fmt::format("Sources before: {}; after: {}", SourcesOfNumbers(earlier), SourcesOfNumbers(later)));
  for (const std::string& cause : comparison.causes) answer.Add(fmt::format("Environment: {}", Marked(cause)));
  if (!causes.empty()) answer.Add("Causes, largest first:");
  for (size_t i = 0; i < std::min(causes.size(), kMaxCauses); ++i) {
    answer.Add(fmt::format("  {} {} {} [{}{}]", SignedDuration(causes[i].delta_ns), causes[i].kind,
                           Marked(causes[i].text), tasks, HasSamples(earlier) && HasSamples(later) ? ", samples" : ""));
  }
  AddProofs(source, later, &answer);
  AddFindings("New findings:", findings.added, later, &answer);
  AddFindings("Findings that are gone:", findings.gone, earlier, &answer);
  if (!comparison.stages.empty()) answer.Add("Stages, largest change first:");
  for (size_t i = 0; i < std::min(comparison.stages.size(), kMaxStages); ++i) {
    answer.Add(StageLine(comparison.stages[i], tasks));
  }
  if (!comparison.settings.empty()) answer.Add("Settings:");
  const auto value = [](const std::string& text) { return text.empty() ? "not set" : Marked(text, 80); };
  for (size_t i = 0; i < std::min(comparison.settings.size(), kMaxSettings); ++i) {
    const SettingChange& setting = comparison.settings[i];
    answer.Add(fmt::format("  {}: {} -> {}", Marked(setting.name, 100), value(setting.before), value(setting.after)));
  }
  return answer;
}

}  // namespace sparkprof
