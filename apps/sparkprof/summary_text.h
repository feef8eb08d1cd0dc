// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "analysis/answers.h"
#include "terminal_style.h"

namespace sparkprof {

// The first text about an application that a person reads: what ran, the first findings, where the time went.
std::string SummaryText(const Answers& answers, const TerminalStyle& style);

// One more line of it: a label, padded to 15 columns, and the text beside it.
std::string SummaryLine(std::string_view line, const TerminalStyle& style);

}  // namespace sparkprof
