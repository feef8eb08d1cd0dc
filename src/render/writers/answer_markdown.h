// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/answers.h"
#include "analysis/comparison/compared_runs.h"
#include "model/application.h"

namespace sparkprof {

// Answers as Markdown, for comments on pull requests and issues. Texts of a job are escaped (EscapeMarkdown).

// The verdict, the cost if there are prices, a table of findings that save a known time or explain a failure, and the
// checks that were not possible.
std::string FindingsMarkdown(const Application& application, const Answers& answers);

// The change of duration and cost (if there are prices), its causes, new and resolved findings, and the stages that
// changed most, at most `top` of each.
std::string RunsMarkdown(const ComparedRuns& runs, const AnsweredRun& before, const AnsweredRun& after, size_t top);

}  // namespace sparkprof
