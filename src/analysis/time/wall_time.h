// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/selection/selection.h"
#include "model/application.h"

namespace sparkprof {

struct WallPart {
  std::string
      name;  // "Stage 4 collect at job.py:60", "Driver before the first stage", "17 stages: collect at job.py:60"
  int64_t begin_ns = 0;  // since the application's start; -1 for a sum of several
  int64_t duration_ns = 0;
  Selection selection;  // the stage, or the driver in this time; empty for a sum of several stages
};

// The parts of an application's wall time, in order; their sum is its duration. Of concurrent stages, the one that ends
// last counts, from its submission on; before that, the one that ended last before it, and so on. Time without a stage
// is the driver's. Returns at most `most` parts; the last one sums the shorter ones. If `most` parts cover less than
// half of the time, as with thousands of short stages, all stages of one name are one part, as is the driver's time,
// sorted by size. Empty without a started stage.
std::vector<WallPart> SplitWallTime(const Application& application, size_t most);

// Each stage's (row's) part of the application's wall-clock time, ns: a moment is divided among the stages with running
// tasks, in proportion to their number. The sum over all stages is the time in which a task ran; the rest of the
// duration is the driver's.
std::vector<int64_t> WallTimeOfStages(const Application& application);

}  // namespace sparkprof
