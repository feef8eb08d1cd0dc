// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/answers.h"
#include "analysis/tuning/costs.h"
#include "terminal_style.h"

namespace sparkprof {

// "(could save 3.1 s to 5.8 s)"; empty if the saving is unknown.
std::string SavingText(const Finding& finding, const Costs* costs = nullptr);

// All findings of an application with evidence and advice, under its ID; without any, what was not checked.
// Savings have their cost, too, if costs are given.
std::string ListFindings(const Application& application, const Answers& answers, const Costs* costs);

// The number of findings, then one line for each of the first three; empty without findings.
std::string TopFindings(const std::vector<Finding>& findings, const TerminalStyle& style);

}  // namespace sparkprof
