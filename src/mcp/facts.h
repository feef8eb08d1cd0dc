// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/selection/selection.h"
#include "base/result.h"
#include "mcp/application_source.h"
#include "mcp/tool.h"

namespace sparkprof {

// Facts in all answers: the application and the sources of its numbers.

// Source of the numbers of tasks and stages: "event log", "text log", or "no tasks". Spark's events count as event log,
// whether they come from a recording or a file.
std::string_view SourceOfTasks(const Application& application);

// Formats "event log, samples (cpu, wall), text log".
std::string SourcesOfNumbers(const Application& application);

// Source of a finding's numbers: "[samples, event log]".
std::string SourceOfFinding(const Application& application, const Finding& finding);

// First lines about the application: name, ID, versions, duration, outcome, and the note about marks.
std::vector<std::string> Headline(const AskedApplication& asked);

// Formats "code and locks (no CPU samples); errors in logs (no text log)"; empty if everything was measured.
std::string NotMeasured(const AskedApplication& asked);

// Adds a line for each of the latest proofs of changes of the application's group.
void AddProofs(ApplicationSource* source, const Application& application, ToolAnswer* answer);

// Uses the argument `application`, by default the only one.
Result<AskedApplication> LoadAsked(ApplicationSource* source, const ToolArguments& arguments);

// The arguments event, stage, task, executor, job and sql. Fails if the stage is not a number.
Result<Selection> SelectionOf(const ToolArguments& arguments);

}  // namespace sparkprof
