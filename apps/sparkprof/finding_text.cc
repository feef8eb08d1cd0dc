// SPDX-License-Identifier: Apache-2.0
#include "finding_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace sparkprof {
namespace {

constexpr size_t kTop = 3;

// Findings of a kind, a title on each line.
std::string ListTitles(std::string_view heading, const std::vector<Finding>& findings,
                       bool (*is_of_kind)(const Finding&)) {
  std::string text;
  for (const Finding& finding : findings) {
    if (!is_of_kind(finding)) continue;
    if (text.empty()) text = fmt::format("\n  {}:\n", heading);
    text += fmt::format("         {} ({})\n", finding.title, finding.rule);
  }
  return text;
}

}  // namespace

std::string SavingText(const Finding& finding) {
  if (finding.gain_ns <= 0) return {};
  const auto times = [&](double factor) {
    return FormatDuration(static_cast<int64_t>(static_cast<double>(finding.gain_ns) * factor));
  };
  const std::string saving = fmt::format("could save {} to {}", times(finding.gain_low), times(finding.gain_high));
  return finding.overlaps.empty() ? saving : fmt::format("({}, not in addition to {})", saving, finding.overlaps);
}

std::string ListFindings(const Application& application, const Answers& answers) {
  const std::vector<Finding>& findings = answers.findings;
  std::string text = fmt::format("{} {}: {}\n", application.id, application.name,
                                 findings.empty()       ? NoFindingsText(answers.rules)
                                 : findings.size() == 1 ? "1 finding"
                                                        : fmt::format("{} findings", findings.size()));
  for (const Finding& finding : findings) {
    if (IsFolded(finding)) continue;
    const std::string saving = SavingText(finding);
    text += fmt::format("\n  {:<7}{}\n         {}; {} confidence{}\n", SeverityName(finding.severity), finding.title,
                        finding.rule, ConfidenceName(finding.confidence), saving.empty() ? "" : "; " + saving);
    text += fmt::format("         {}.{}\n         What to do: {}.\n", finding.what,
                        finding.evidence.empty() ? "" : fmt::format(" {}.", finding.evidence), finding.change);
    for (const std::string& frame : finding.frames) text += fmt::format("         Code: {}\n", frame);
  }
  text += ListTitles("Saves less than 1% of the time, or no known time", findings, IsFolded);
  text += ListTitles("About the run", answers.context, [](const Finding&) { return true; });
  return text + "\n";
}

std::string TopFindings(const std::vector<Finding>& findings) {
  std::string text;
  for (size_t i = 0; i < std::min(findings.size(), kTop); ++i) {
    const std::string saving = SavingText(findings[i]);
    text += fmt::format("  {:<7}{}{}\n", SeverityName(findings[i].severity), findings[i].title,
                        saving.empty()          ? ""
                        : saving.front() == '(' ? " " + saving
                                                : fmt::format(" ({})", saving));
  }
  if (findings.size() > kTop) text += fmt::format("  … and {} more: `sparkprof findings`\n", findings.size() - kTop);
  return text;
}

}  // namespace sparkprof
