// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/answers.h"
#include "analysis/comparison/compared_runs.h"
#include "model/application.h"

namespace sparkprof {

// Answers as Markdown, for comments on pull requests and issues. Texts of a job are escaped, see EscapeMarkdown.

// The verdict and, with prices, the cost, a table of the findings that save a known time or explain a failure, and what
// was not checked.
std::string FindingsMarkdown(const Application& application, const Answers& answers);

// The change of the duration and, with prices, of the cost, its causes, the findings that are new or gone, and the
// stages that changed most, at most `top` of each.
std::string RunsMarkdown(const ComparedRuns& runs, const AnsweredRun& before, const AnsweredRun& after, size_t top);

}  // namespace sparkprof
