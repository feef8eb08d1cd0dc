// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "auto/auto_policy.h"
#include "auto/auto_state.h"
#include "auto/past_run.h"

namespace sparkprof {

// The settings of the next run of a job.
struct AutoDecision {
  enum class Kind : uint8_t {
    kKept,        // the same as before
    kChanged,     // one setting is new
    kRolledBack,  // an earlier version, or the job's own
  };

  Kind kind = Kind::kKept;
  // "spark.executor.memory 8g -> 6g: …", "rolled back …: …", or why nothing changes.
  std::string text;
  int64_t version = 0;  // 0 = the job's own settings
  AutoValues settings;  // replace the job's own
};

// Decides by the last runs, within the policy, and notes the decision in `state`. Changes one setting at a time, after
// a number of good runs in a row (AutoPolicy::runs) with the present ones. Rolls back when a run with replaced settings
// - fails, or reads much more data than any before: to the job's own settings,
// - spills, collects garbage for a long time, or takes longer than noise explains: by one version.
// `own`: the job's own values, as far as they are known before it starts. Pure, apart from `state`.
AutoDecision Decide(const AutoPolicy& policy, std::vector<PastRun> runs, const AutoValues& own, int64_t now_ns,
                    AutoState* state);

}  // namespace sparkprof
