// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/findings/finding.h"
#include "model/application.h"

namespace sparkprof {

// The maximum number of rows of a page, so that browsers can open it for any application.
struct RowLimits {
  size_t tasks = 300'000;  // about 10 MB of the page
  size_t stages = 10'000;
  size_t jobs = 10'000;
  size_t sql_executions = 10'000;
  size_t executors = 10'000;  // the first ones
};

// The rows of the application's tables that a report shows, in their order. `executors` is a number of rows.
struct ChosenRows {
  std::vector<uint32_t> tasks, stages, jobs, sql_executions;
  size_t executors = 0;
  std::string left_out;  // a sentence about omitted rows; empty if there are none

  // -1 for an executor that is not shown.
  int32_t Executor(int32_t row) const { return row < static_cast<int32_t>(executors) ? row : -1; }
};

// All rows, or up to the limits: stages named in findings; failed stages, jobs and SQL executions (up to a quarter);
// the longest ones (up to half); the rest evenly. Tasks are those of the chosen stages; see ChooseTasks.
ChosenRows ChooseRows(const Application& application, const std::vector<Finding>& findings,
                      const RowLimits& limits = {});

// Rows of the tasks in a report, in order: all tasks of the chosen stages (by row), or if there are more than `most`,
// those named in findings, unsuccessful ones (up to a quarter), and an even selection of each stage in proportion to
// its share of all tasks, at least its slowest task.
std::vector<uint32_t> ChooseTasks(const Application& application, const std::vector<Finding>& findings,
                                  const std::vector<bool>& stage_shown, size_t most);

}  // namespace sparkprof
