// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/comparison/compared_runs.h"
#include "base/json_writer.h"

namespace sparkprof {

// The object that `sparkprof compare --json` prints; docs/compare-runs.md describes it. The page of a comparison and
// the collector have the same.
void WriteRuns(const ComparedRuns& runs, const AnsweredRun& before, const AnsweredRun& after, JsonWriter* json);

}  // namespace sparkprof
