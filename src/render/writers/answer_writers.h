// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/answers.h"
#include "analysis/comparison/compared_runs.h"
#include "base/result.h"
#include "base/text/json_writer.h"
#include "model/application.h"

namespace sparkprof {

// Answers, and the comparison of two runs, for people and scripts.

// Answers as Markdown, for comments on pull requests and issues. Texts of a job are escaped (EscapeMarkdown).

// The verdict, the cost if there are prices, a table of findings that save a known time or explain a failure, and the
// checks that were not possible.
std::string FindingsMarkdown(const Application& application, const Answers& answers);

// The change of duration and cost (if there are prices), its causes, new and resolved findings, and the stages that
// changed most, at most `top` of each.
std::string RunsMarkdown(const ComparedRuns& runs, const AnsweredRun& before, const AnsweredRun& after, size_t top);

// Writes the object that `sparkprof compare --json` prints (docs/compare-runs.md). The comparison page and the
// collector use the same object.
void WriteRuns(const ComparedRuns& runs, const AnsweredRun& before, const AnsweredRun& after, JsonWriter* json);

// A page about two runs: what changed and why, and their differential flame graph. `before` and `after` are of the
// applications as read; `shown_before` and `shown_after` have the samples to draw.
Result<std::string> RenderComparePage(const ComparedRuns& runs, const AnsweredRun& before, const AnsweredRun& after,
                                      const Application& shown_before, const Application& shown_after);

}  // namespace sparkprof
