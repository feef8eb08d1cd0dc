// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/answers.h"
#include "analysis/costs/costs.h"
#include "output/terminal_style.h"

namespace sparkprof {

// Introductory text about an application: what ran, the first findings, where the time went.
std::string SummaryText(const Answers& answers, const TerminalStyle& style);

// A line of that text: a label, padded to 15 columns, followed by a text.
std::string SummaryLine(std::string_view line, const TerminalStyle& style);

// Formats "(could save 3.1–5.8 s)", with costs "(could save 3.1–5.8 s (0.01–0.02 USD))"; empty if the saving is
// unknown.
std::string SavingText(const Finding& finding, const std::optional<Costs>& costs);

// All findings of an application with evidence and advice, under its ID and `facts`; without any, what was not checked.
std::string ListFindings(const Application& application, const Answers& answers,
                         const std::vector<std::string>& facts = {});

// The number of findings, then one line for each of the first three; empty without findings.
std::string TopFindings(const Answers& answers, const TerminalStyle& style);

}  // namespace sparkprof
