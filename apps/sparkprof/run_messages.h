// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sparkprof {

// Messages of `sparkprof run` on standard error.

// From now on, omits lines that a scheduler would interpret (launch/scheduler_output.h).
void LeaveOutSchedulerLines();

// Prints "sparkprof: TEXT".
void Say(const std::string& text);

// Prints "sparkprof: report: PATH", which scripts parse.
void SayPath(const std::string& what, const std::string& path);

void SaySummary(const std::string& summary);

}  // namespace sparkprof
