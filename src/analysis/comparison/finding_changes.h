// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/answers.h"
#include "model/application.h"

namespace sparkprof {

// Findings in only one of two runs, in their original order.
struct FindingChanges {
  std::vector<const Finding*> gone, added;
};

// Findings are equal if they have the same rule, and their stages the same lines of code. The result refers to the
// answers.
FindingChanges CompareFindings(const Application& before, const Answers& before_answers, const Application& after,
                               const Answers& after_answers);

}  // namespace sparkprof
