// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// Equivalent stages in two applications: all attempts of all stages with the same plan and line of code.
struct StageChange {
  std::string name;  // "count at job.py:12", or a description of the work if there is no such line
  std::vector<int64_t> before_ids, after_ids;       // stage IDs; empty if the run has no such stage
  int64_t before_ns = 0, after_ns = 0;              // sum of the stages' durations
  int64_t before_tasks_ns = 0, after_tasks_ns = 0;  // sum of the tasks' durations
  std::vector<std::string> causes;                  // sentences without final period; empty if it hardly changed

  int64_t Change() const { return after_ns - before_ns; }
};

struct SettingChange {
  std::string name;
  std::string before, after;  // empty = not set
};

// Smaller changes of a stage's duration are not explained.
inline constexpr int64_t kShortestChangeNs = 50'000'000;

// Whether they differ by more than a tenth of the larger one.
bool DiffersMuch(int64_t before, int64_t after);

struct RunComparison {
  int64_t before_ns = 0, after_ns = 0;  // durations of the applications
  std::vector<std::string> causes;      // for the whole application: versions, cores, plans
  std::vector<StageChange> stages;      // largest change first
  std::vector<SettingChange> settings;  // by name, without those that differ between any two runs

  // Relative to the duration before; 0.1 = 10% slower.
  double Change() const;
};

// Compares two runs of one program. Stages match by plan and line of code, else by line of code, else by the name
// without its line.
RunComparison CompareRuns(const Application& before, const Application& after);

}  // namespace sparkprof
