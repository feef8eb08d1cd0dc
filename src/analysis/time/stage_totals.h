// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// Totals over the tasks of a stage attempt, a job or an executor, as in Spark's REST API: all attempts, with any
// outcome. A resubmitted task also counts as a failed one (Stage::resubmitted_tasks).
inline constexpr size_t kTaskOutcomeCount = static_cast<size_t>(TaskOutcome::kKilled) + 1;

struct StageTotals {
  std::array<int64_t, kTaskOutcomeCount> count{};  // by TaskOutcome
  std::array<int64_t, kTaskMetricCount> sum{};
  int64_t first_launch_ns = 0;
};

struct JobTotals {
  int64_t tasks = 0;  // planned number
  int64_t active_tasks = 0, completed_tasks = 0, skipped_tasks = 0, failed_tasks = 0, killed_tasks = 0;
  int64_t active_stages = 0, completed_stages = 0, skipped_stages = 0, failed_stages = 0;
};

struct ExecutorTotals {
  std::array<int64_t, kTaskOutcomeCount> count{};
  int64_t duration_ns = 0, gc_ns = 0;
  int64_t input_bytes = 0, shuffle_read_bytes = 0, shuffle_write_bytes = 0;
};

// One per stage, job or executor row.
std::vector<StageTotals> TotalsOfStages(const Application& application);
std::vector<JobTotals> TotalsOfJobs(const Application& application);
std::vector<ExecutorTotals> TotalsOfExecutors(const Application& application);

}  // namespace sparkprof
