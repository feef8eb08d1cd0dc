// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "analysis/answers.h"
#include "terminal_style.h"

namespace sparkprof {

// Introductory text about an application: what ran, the first findings, where the time went.
std::string SummaryText(const Answers& answers, const TerminalStyle& style);

// A line of that text: a label, padded to 15 columns, followed by a text.
std::string SummaryLine(std::string_view line, const TerminalStyle& style);

}  // namespace sparkprof
