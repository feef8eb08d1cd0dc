// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/comparison/compared_runs.h"
#include "base/result.h"

namespace sparkprof {

// A page about two runs: what changed and why, and their differential flame graph. `before` and `after` are of the
// applications as read; `shown_before` and `shown_after` have the samples to draw.
Result<std::string> RenderComparePage(const ComparedRuns& runs, const AnsweredRun& before, const AnsweredRun& after,
                                      const Application& shown_before, const Application& shown_after);

}  // namespace sparkprof
