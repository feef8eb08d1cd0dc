// SPDX-License-Identifier: Apache-2.0
#include "output/summary_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace sparkprof {

namespace {

constexpr size_t kIndent = 2, kLabel = 15;

}  // namespace

std::string SummaryLine(std::string_view line, const TerminalStyle& style) {
  return fmt::format("{:{}}{}{}", "", kIndent, line.substr(0, kLabel),
                     style.Wrap(line.substr(std::min(kLabel, line.size())), kIndent + kLabel, kIndent + kLabel));
}

std::string SummaryText(const Answers& answers, const TerminalStyle& style) {
  std::string text;
  if (answers.lines.empty()) return text;
  text += style.Bold(style.Wrap(answers.lines.front(), 0, kIndent));
  text += TopFindings(answers, style);
  for (size_t i = 1; i < answers.lines.size(); ++i) text += SummaryLine(answers.lines[i], style);
  return text;
}

}  // namespace sparkprof
