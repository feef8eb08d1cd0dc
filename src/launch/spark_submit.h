// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sparkprof {

// Running in the place of spark-submit.

// The name of the program that this one replaces: "spark-submit" for sparkprof-submit, or for a link to it named
// spark-submit, spark2-submit or spark3-submit. nullopt if it was started as sparkprof.
std::optional<std::string> SubmitNameOf(const std::string& own_path);

// The first program of that name in PATH that is not one of `own` (canonical paths), else SPARK_HOME/bin/spark-submit.
Result<std::string> FindRealSubmit(const std::string& name, const std::map<std::string, std::string>& environment,
                                   const std::vector<std::string>& own);

// Whether a scheduler would extract something from the line: schedulers that start spark-submit (Airflow, Oozie, Livy)
// search its output for IDs of applications, drivers and pods, and for exit codes.
bool IsReadByScheduler(std::string_view line);

// The lines of `text` that no scheduler interprets.
std::string WithoutSchedulerLines(std::string_view text);

}  // namespace sparkprof
