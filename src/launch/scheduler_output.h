// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// Whether a scheduler would extract something from the line: schedulers that start spark-submit (Airflow, Oozie, Livy)
// search its output for IDs of applications, drivers and pods, and for exit codes.
bool IsReadByScheduler(std::string_view line);

// The lines of `text` that no scheduler interprets.
std::string WithoutSchedulerLines(std::string_view text);

}  // namespace sparkprof
