// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "auto/auto_policy.h"
#include "auto/auto_state.h"
#include "auto/past_run.h"

namespace sparkprof {

struct AutoDecision {
  enum class Kind : uint8_t {
    kKept,        // same settings as before
    kChanged,     // one new setting
    kRolledBack,  // to an earlier version or the job's own settings
  };

  Kind kind = Kind::kKept;
  // "spark.executor.memory 8g -> 6g: …", "rolled back …: …", or the reason for no change.
  std::string text;
  int64_t version = 0;  // 0 = the job's own settings
  AutoValues settings;  // replace those of the job
};

// Decides from the last runs, within the policy, and notes the decision in `state`. Changes one setting at a time,
// after AutoPolicy::runs good runs in a row. Rolls back when a run with replaced settings
// - fails, or reads far more data than any before: to the job's own settings,
// - spills, spends long in GC, or takes longer than noise explains: by one version.
// `own`: the job's own values that are known before it starts. Pure, apart from `state`.
AutoDecision Decide(const AutoPolicy& policy, std::vector<PastRun> runs, const AutoValues& own, int64_t now_ns,
                    AutoState* state);

}  // namespace sparkprof
