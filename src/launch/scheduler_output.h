// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// Schedulers that start spark-submit (Airflow, Oozie, Livy) read its output for IDs of applications, drivers and pods,
// and for exit codes. Whether a line has something that they would take for one.
bool IsReadByScheduler(std::string_view line);

// The lines of `text` that no scheduler reads.
std::string WithoutSchedulerLines(std::string_view text);

}  // namespace sparkprof
