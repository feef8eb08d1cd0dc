// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/findings/finding.h"
#include "model/application.h"

namespace sparkprof {

// How many rows a page shows at most, so that browsers open it whatever the application was.
struct RowLimits {
  size_t tasks = 100'000;  // about 5 MB of the page
  size_t stages = 10'000;
  size_t jobs = 10'000;
  size_t sql_executions = 10'000;
  size_t executors = 10'000;  // the first ones
};

// The rows of the application's tables that a report shows, in their order. `executors` is a number of rows.
struct ChosenRows {
  std::vector<uint32_t> tasks, stages, jobs, sql_executions;
  size_t executors = 0;
  std::string left_out;  // what is not shown, for people; empty when everything is

  // -1 for an executor that is not shown.
  int32_t Executor(int32_t row) const { return row < static_cast<int32_t>(executors) ? row : -1; }
};

// All, or where there are too many: of stages those that findings name, of stages, jobs and SQL executions those that
// failed (up to a quarter of the room) and those that took longest (up to half of it), the rest evenly. Tasks are those
// of the stages shown; see ChooseTasks.
ChosenRows ChooseRows(const Application& application, const std::vector<Finding>& findings,
                      const RowLimits& limits = {});

}  // namespace sparkprof
