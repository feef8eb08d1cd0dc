// SPDX-License-Identifier: Apache-2.0
#include "finding_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace sparkprof {
namespace {

constexpr size_t kTop = 3;

}  // namespace

std::string SavingText(const Finding& finding) {
  if (finding.gain_ns <= 0) return {};
  const auto times = [&](double factor) {
    return FormatDuration(static_cast<int64_t>(static_cast<double>(finding.gain_ns) * factor));
  };
  return fmt::format("could save {} to {}", times(finding.gain_low), times(finding.gain_high));
}

std::string ListFindings(const Application& application, const Answers& answers) {
  const std::vector<Finding>& findings = answers.findings;
  std::string text = fmt::format("{} {}: {}\n", application.id, application.name,
                                 findings.empty()       ? NoFindingsText(answers.rules)
                                 : findings.size() == 1 ? "1 finding"
                                                        : fmt::format("{} findings", findings.size()));
  for (const Finding& finding : findings) {
    const std::string saving = SavingText(finding);
    text += fmt::format("\n  {:<7}{}\n         {}; {} confidence{}\n", SeverityName(finding.severity), finding.title,
                        finding.rule, ConfidenceName(finding.confidence), saving.empty() ? "" : "; " + saving);
    text += fmt::format("         {}.{}\n         What to do: {}.\n", finding.what,
                        finding.evidence.empty() ? "" : fmt::format(" {}.", finding.evidence), finding.change);
    for (const std::string& frame : finding.frames) text += fmt::format("         Code: {}\n", frame);
  }
  return text + "\n";
}

std::string TopFindings(const std::vector<Finding>& findings) {
  std::string text;
  for (size_t i = 0; i < std::min(findings.size(), kTop); ++i) {
    const std::string saving = SavingText(findings[i]);
    text += fmt::format("  {:<7}{}{}\n", SeverityName(findings[i].severity), findings[i].title,
                        saving.empty() ? "" : fmt::format(" ({})", saving));
  }
  if (findings.size() > kTop) text += fmt::format("  … and {} more: `sparkprof findings`\n", findings.size() - kTop);
  return text;
}

}  // namespace sparkprof
