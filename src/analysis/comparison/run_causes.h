// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/comparison/run_comparison.h"
#include "analysis/time/stage_summary.h"
#include "model/application.h"

namespace sparkprof {

struct RunCause {
  // "driver"; for a stage: "only" (exists in one run), "plan", "data", "lock", "wait", "python", "engine", "code",
  // "gc", "shuffle", "scheduler", "failures", "skew", "spill", "partitions", "cores", "time" (no recorded change).
  std::string kind;
  std::optional<int64_t> stage;  // its ID in the later run, else in the earlier one; nullopt for the driver
  std::string text;              // a sentence without final period; names the line or function whose time changed most
  int64_t delta_ns = 0;          // change of wall-clock time, positive = longer; stages may overlap
};

// One per stage whose duration changed, and one for the time without tasks; largest change first. `stages` from
// SummarizeStages of each run.
std::vector<RunCause> CausesOfChange(const RunComparison& comparison, const Application& before,
                                     const std::vector<StageSummary>& stages_before, const Application& after,
                                     const std::vector<StageSummary>& stages_after);

// Time of an application without a task, by what follows it.
struct DriverPauses {
  int64_t all_ns = 0;
  std::map<std::string, int64_t> by_job;   // "before toPandas at job.py:19"
  std::map<std::string, int64_t> by_line;  // by line of the driver's Python program, from wall-clock samples
};

DriverPauses PausesOf(const Application& application);

}  // namespace sparkprof
