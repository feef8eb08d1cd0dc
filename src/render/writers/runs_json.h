// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/comparison/compared_runs.h"
#include "base/json_writer.h"

namespace sparkprof {

// Writes the object that `sparkprof compare --json` prints (docs/compare-runs.md). The comparison page and the
// collector use the same object.
void WriteRuns(const ComparedRuns& runs, const AnsweredRun& before, const AnsweredRun& after, JsonWriter* json);

}  // namespace sparkprof
