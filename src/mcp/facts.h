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

// Facts that all answers state: the application and the sources of its numbers.

// "event log", "text log": what the numbers of tasks and stages are from; "no tasks" where there are none. Spark's
// events count as event log, whether a recording or a file has them.
std::string_view SourceOfTasks(const Application& application);

// "event log, samples (cpu, wall), text log"
std::string SourcesOfNumbers(const Application& application);

// "[samples, event log]": what the numbers of a finding are from.
std::string SourceOfFinding(const Application& application, const Finding& finding);

// The application's first line: name, ID, versions, duration, outcome; and the note about marks.
std::vector<std::string> Headline(const AskedApplication& asked);

// "code and locks (no CPU samples); errors in logs (no text log)"; empty if everything was measured.
std::string NotMeasured(const AskedApplication& asked);

// The application of the argument `application`. Without one: the only one that there is.
Result<AskedApplication> LoadAsked(ApplicationSource* source, const ToolArguments& arguments);

// The arguments event, stage, task, executor, job and sql. Fails for a stage that is not a number.
Result<Selection> SelectionOf(const ToolArguments& arguments);

}  // namespace sparkprof
