// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "analysis/findings/finding.h"

namespace sparkprof {

// Many small stages of one operation, such as those in which a table format reads its log after each commit: rules see
// them as one stage with the tasks of all.
struct StageGroup {
  const Stage* longest = nullptr;
  StageSummary summary;
};

// Stages of one call site and as many tasks, of which none takes long, or of one operation of a library.
std::vector<StageGroup> GroupsOfStages(const FindingInput& input);

// Whether a rule adds up over the stages of a group. Others compare the tasks of one stage with each other, or with the
// cores.
bool IsOfGroups(std::string_view rule);

}  // namespace sparkprof
