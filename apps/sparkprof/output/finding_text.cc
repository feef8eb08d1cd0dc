// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "analysis/answers.h"
#include "base/text/text.h"
#include "output/summary_text.h"

namespace sparkprof {
namespace {

constexpr size_t kTop = 3;
constexpr size_t kFindingIndent = 2, kColumn = 9;  // columns of severities, and of the text after them

// Formats findings of a kind, one title per line.
std::string ListTitles(std::string_view heading, const std::vector<Finding>& findings,
                       bool (*is_of_kind)(const Finding&), const TerminalStyle& style) {
  std::string text;
  for (const Finding& finding : findings) {
    if (!is_of_kind(finding)) continue;
    if (text.empty()) text = fmt::format("\n  {}:\n", heading);
    text += std::string(kColumn, ' ') +
            style.Wrap(fmt::format("{} ({})", finding.title, finding.rule), kColumn, kColumn + kFindingIndent);
  }
  return text;
}

// With a capital and a point, unless it begins with a name, "java.io.IOException: x", or has an end of its own.
std::string AsSentence(std::string text) {
  if (text.empty()) return text;
  const auto is_small = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto end = std::find_if_not(text.begin(), text.end(), is_small);
  const bool begins_with_word =
      end != text.begin() && end != text.end() && std::string_view(" :,;-").find(*end) != std::string_view::npos;
  if (begins_with_word) text.front() = static_cast<char>(text.front() - 32);
  const bool has_end = text.ends_with('.') || text.ends_with('!') || text.ends_with('?') || text.ends_with("…");
  return has_end ? text : text + ".";
}

}  // namespace

std::string SavingText(const Finding& finding, const std::optional<Costs>& costs) {
  std::string saving = SavingRange(finding);
  if (!saving.empty() && costs) {
    saving += fmt::format(" ({})", CostText(costs->OfSaving(finding), costs->Currency()));
  }
  return saving.empty() || finding.overlaps.empty()
             ? saving
             : fmt::format("({}, not in addition to {})", saving, finding.overlaps);
}

// YARN counts attempts from 1, so most applications have attempt 1.
std::string NameWithAttempt(const Application& application) {
  const bool is_later = !application.attempt.empty() && application.attempt != "1";
  const std::string attempt = is_later ? fmt::format(" (attempt {})", application.attempt) : "";
  const bool is_named = application.name != application.id;
  return fmt::format("{}{}{}{}", application.id, is_named ? " " : "", is_named ? application.name : "", attempt);
}

std::string ListFindings(const Application& application, const Answers& answers,
                         const std::vector<std::string>& facts) {
  const std::vector<Finding>& findings = answers.findings;
  const TerminalStyle style;
  std::string text =
      style.Wrap(NameWithAttempt(application), 0, kFindingIndent) + style.Wrap(answers.verdict, 0, kFindingIndent);
  for (const std::string& fact : facts)
    text += std::string(kFindingIndent, ' ') + style.Wrap(fact, kFindingIndent, 2 * kFindingIndent);
  const auto add = [&](const std::string& line) {
    text += std::string(kColumn, ' ') + style.Wrap(line, kColumn, kColumn);
  };
  for (const Finding& finding : findings) {
    if (IsFolded(finding)) continue;
    const std::string saving = SavingText(finding, answers.costs);
    text += fmt::format("\n  {}{}", style.Name(finding.severity, kColumn - kFindingIndent),
                        style.Bold(style.Wrap(finding.title, kColumn, kColumn)));
    add(fmt::format("{}; {} confidence{}", finding.rule, ConfidenceName(finding.confidence),
                    saving.empty() ? "" : "; " + saving));
    add(fmt::format("{}{}{}", AsSentence(finding.what), finding.evidence.empty() ? "" : " ",
                    AsSentence(finding.evidence)));
    add("What to do: " + AsSentence(finding.change));
    for (const std::string& frame : finding.frames) add("Code: " + frame);
  }
  text += ListTitles("Saves less than 1% of the time, or no known time", findings, IsFolded, style);
  text += ListTitles(
      "About the run", answers.context, [](const Finding&) { return true; }, style);
  return text + "\n";
}

std::string TopFindings(const Answers& answers, const TerminalStyle& style) {
  const std::vector<Finding>& findings = answers.findings;
  if (findings.empty()) return answers.rules.any ? style.Wrap(answers.verdict, 0, kFindingIndent) : "";
  std::string text = style.Wrap(answers.verdict, 0, kFindingIndent) + fmt::format("Findings ({})\n", findings.size());
  for (size_t i = 0; i < std::min(findings.size(), kTop); ++i) {
    const std::string saving = SavingText(findings[i], answers.costs);
    const std::string_view blank = saving.empty() ? "" : " ";
    text += fmt::format(
        "  {}{}", style.Name(findings[i].severity, kColumn - kFindingIndent),
        style.Wrap(fmt::format("{}{}{}", findings[i].title, blank,
                               saving.empty() || saving.front() == '(' ? saving : fmt::format("({})", saving)),
                   kColumn, kColumn));
  }
  if (findings.size() > kTop) text += fmt::format("  … and {} more: `sparkprof findings`\n", findings.size() - kTop);
  return text;
}

}  // namespace sparkprof
