// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/account/account_entry.h"

namespace sparkprof {

// Fraction of a claimed time that a change removes, minus the cost of the change.
struct Removal {
  double low = 0, likely = 0, high = 0;
};
inline constexpr Removal kWhole{0.7, 1, 1};    // measured, and useless
inline constexpr Removal kMost{0.4, 0.8, 1};   // an alternative takes a small fraction of the time
inline constexpr Removal kHalf{0.2, 0.5, 1};   // a part remains, depending on the data
inline constexpr Removal kSome{0, 0.2, 0.75};  // most of it is the purpose of the job
inline constexpr Removal kUnsure{0, 0.03, 1};  // the effect of the change is unknown
inline constexpr Removal kNothing{};           // claims the time, but removing it does not shorten the run

// Accounted time that a change would remove.
struct Claim {
  struct OfStage {
    int32_t stage = -1;               // row of Application::stages
    std::optional<AccountPart> part;  // nullopt = all parts
    int64_t ns = 0;                   // sum over all its tasks
  };
  struct OfTask {
    uint32_t task = 0;  // row of Application::tasks
    int64_t ns = 0;
  };

  Removal removal;
  std::vector<OfStage> stages;
  std::vector<OfTask> tasks;
  bool is_moved = false;  // other tasks of the stage take over the work of `tasks`
  int64_t wall_ns = 0;    // wall-clock time of the driver, or of unknown tasks

  // Adds the times of `other`; the change removes the same fraction of both.
  void Add(const Claim& other) {
    stages.insert(stages.end(), other.stages.begin(), other.stages.end());
    tasks.insert(tasks.end(), other.tasks.begin(), other.tasks.end());
    wall_ns += other.wall_ns;
  }

  bool IsEmpty() const { return stages.empty() && tasks.empty() && wall_ns == 0; }
};

// How much a change shortens a run. 0 = unknown.
struct Saving {
  int64_t low_ns = 0, likely_ns = 0, high_ns = 0;

  bool IsKnown() const { return high_ns > 0; }
  // Between the low and the likely end: a wide range is less promising.
  int64_t Expected() const { return low_ns + (likely_ns - low_ns) / 2; }
};

}  // namespace sparkprof
