// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "analysis/answers.h"
#include "base/redaction/redaction.h"
#include "base/text/escaped_text.h"
#include "base/text/text.h"
#include "render/writers/answer_writers.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxCellText = 400;  // maximum size of a cell, bytes

std::string Escaped(std::string_view text) { return EscapeMarkdown(Shorten(RedactText(text), kMaxCellText)); }

std::string Title(const Application& application) {
  return fmt::format("**{}** ({})", Escaped(application.name), Escaped(application.id));
}

std::string LinesOf(const Finding& finding) { return Escaped(fmt::format("{}", fmt::join(finding.frames, ", "))); }

std::string FindingList(std::string_view heading, const std::vector<const Finding*>& findings) {
  if (findings.empty()) return {};
  std::string text = fmt::format("\n{}:\n\n", heading);
  for (const Finding* const one : findings) {
    const std::string lines = LinesOf(*one);
    text += fmt::format("- {} ({}){}{}\n", Escaped(one->title), Escaped(one->rule), lines.empty() ? "" : ": ", lines);
  }
  return text;
}

}  // namespace

std::string FindingsMarkdown(const Application& application, const Answers& answers) {
  std::string text = fmt::format("{}: {}\n", Title(application), Escaped(answers.verdict));
  if (answers.costs) text += fmt::format("\n{}.\n", Escaped(CostSentence(*answers.costs)));
  const auto is_shown = [](const Finding& finding) { return !IsFolded(finding); };
  if (std::any_of(answers.findings.begin(), answers.findings.end(), is_shown)) {
    text += "\n| finding | code | saving | change |\n|---|---|---|---|\n";
  }
  for (const Finding& finding : answers.findings) {
    if (!is_shown(finding)) continue;
    std::string saving = SavingRange(finding);
    if (!saving.empty() && answers.costs)
      saving += fmt::format(" ({})", CostText(answers.costs->OfSaving(finding), answers.costs->Currency()));
    text += fmt::format("| {} ({}) | {} | {} | {} |\n", Escaped(finding.title), Escaped(finding.rule), LinesOf(finding),
                        saving.empty() ? "unknown" : saving, Escaped(finding.change));
  }
  std::vector<std::string> not_checked;
  for (const NotChecked& one : answers.rules.not_checked) {
    not_checked.push_back(fmt::format("{} ({})", one.what, one.reason));
  }
  if (!not_checked.empty() && answers.rules.any) {
    text += fmt::format("\nNot checked: {}.\n", fmt::join(not_checked, ", "));
  }
  return text;
}

std::string RunsMarkdown(const ComparedRuns& runs, const AnsweredRun& before, const AnsweredRun& after, size_t top) {
  const RunComparison& comparison = runs.comparison;
  const std::vector<RunCause>& causes = runs.causes;
  const FindingChanges& findings = runs.findings;
  std::string text =
      fmt::format("{} → {}: {} → {}, **{:+.1f}%**\n", Title(before.application), Title(after.application),
                  FormatDuration(comparison.before_ns), FormatDuration(comparison.after_ns), comparison.Change() * 100);
  if (const std::string cost = CostChange(before.answers.costs, after.answers.costs); !cost.empty())
    text += fmt::format("\n{}\n", Escaped(cost));
  for (const std::string& cause : comparison.causes) text += fmt::format("\n{}\n", Escaped(cause));
  if (!causes.empty() && top > 0) text += "\n| change | cause |\n|---:|---|\n";
  for (size_t i = 0; i < std::min(causes.size(), top); ++i) {
    text += fmt::format("| {}{} | {} |\n", causes[i].delta_ns < 0 ? "-" : "+",
                        FormatDuration(std::abs(causes[i].delta_ns)), Escaped(causes[i].text));
  }
  text += FindingList("New findings", findings.added) + FindingList("Findings that are gone", findings.gone);
  if (!comparison.stages.empty() && top > 0) text += "\n| stage | before | after |\n|---|---:|---:|\n";
  for (size_t i = 0; i < std::min(comparison.stages.size(), top); ++i) {
    const StageChange& stage = comparison.stages[i];
    const auto duration = [](const std::vector<int64_t>& ids, int64_t ns) {
      return ids.empty() ? std::string("none") : FormatDuration(ns);
    };
    text += fmt::format("| {} | {} | {} |\n", Escaped(stage.name), duration(stage.before_ids, stage.before_ns),
                        duration(stage.after_ids, stage.after_ns));
  }
  return text;
}

}  // namespace sparkprof
