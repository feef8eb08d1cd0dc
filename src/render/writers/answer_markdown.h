// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/answers.h"
#include "analysis/comparison/finding_changes.h"
#include "analysis/comparison/run_causes.h"
#include "analysis/comparison/run_comparison.h"
#include "model/application.h"

namespace sparkprof {

// Answers as Markdown, for comments on pull requests and issues.

// A text of a job as one line of a paragraph or table: nothing in it is Markdown, HTML or a mention of somebody.
std::string EscapeMarkdown(std::string_view text);

// The verdict, a table of the findings that save a known time or explain a failure, and what was not checked.
std::string FindingsMarkdown(const Application& application, const Answers& answers);

// The change of the duration, its causes, the findings that are new or gone, and the stages that changed most, at most
// `top` of each.
std::string RunsMarkdown(const Application& before, const Application& after, const RunComparison& comparison,
                         const std::vector<RunCause>& causes, const FindingChanges& findings, size_t top);

}  // namespace sparkprof
