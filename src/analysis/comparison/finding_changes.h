// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/answers.h"
#include "model/application.h"

namespace sparkprof {

// Findings of only one of two runs, in their order.
struct FindingChanges {
  std::vector<const Finding*> gone, added;
};

// Two findings are the same if their rules are, and the lines of code of the stages that they are about. Views the
// answers.
FindingChanges CompareFindings(const Application& before, const Answers& before_answers, const Application& after,
                               const Answers& after_answers);

}  // namespace sparkprof
