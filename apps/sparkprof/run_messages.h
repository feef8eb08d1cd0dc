// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sparkprof {

// The messages of `sparkprof run`, on standard error.

// From now on lines that a scheduler would read (launch/scheduler_output.h) are left out.
void LeaveOutSchedulerLines();

// "sparkprof: TEXT"
void Say(const std::string& text);

// "sparkprof: report: PATH", the form that scripts read.
void SayPath(const std::string& what, const std::string& path);

// The summary of a report.
void SaySummary(const std::string& summary);

}  // namespace sparkprof
