// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/account/account_entry.h"

namespace sparkprof {

// The part of a claimed time that a change removes, less what the change costs.
struct Removal {
  double low = 0, likely = 0, high = 0;
};
inline constexpr Removal kWhole{0.7, 1, 1};     // measured, and without a purpose
inline constexpr Removal kMost{0.4, 0.8, 1};    // another way does the same in a small part of the time
inline constexpr Removal kHalf{0.2, 0.5, 0.9};  // a part of it remains, and how large it is depends on the data
inline constexpr Removal kSome{0, 0.2, 0.6};    // most of it is what the job is for
inline constexpr Removal kUnsure{0, 0.03, 1};   // whether the change removes anything is unknown
inline constexpr Removal kNothing{};            // the time is claimed, and the run takes as long without it

// The time of an account that a change would remove.
struct Claim {
  struct OfStage {
    int32_t stage = -1;               // row
    std::optional<AccountPart> part;  // nothing = of all parts
    int64_t ns = 0;                   // of the time of all its tasks
  };
  struct OfTask {
    uint32_t task = 0;  // row
    int64_t ns = 0;
  };

  Removal removal;
  std::vector<OfStage> stages;
  std::vector<OfTask> tasks;
  bool is_moved = false;  // other tasks of the stage do what `tasks` no longer do
  int64_t wall_ns = 0;    // wall-clock time of the driver, or of tasks that are not known

  // The times of both; the change removes the same part of them.
  void Add(const Claim& other) {
    stages.insert(stages.end(), other.stages.begin(), other.stages.end());
    tasks.insert(tasks.end(), other.tasks.begin(), other.tasks.end());
    wall_ns += other.wall_ns;
  }

  bool IsEmpty() const { return stages.empty() && tasks.empty() && wall_ns == 0; }
};

// By how much a change shortens a run. 0 = unknown.
struct Saving {
  int64_t low_ns = 0, likely_ns = 0, high_ns = 0;

  bool IsKnown() const { return high_ns > 0; }
  // Between the low and the likely end: a wide range promises little.
  int64_t Expected() const { return low_ns + (likely_ns - low_ns) / 2; }
};

}  // namespace sparkprof
