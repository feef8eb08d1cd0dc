// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/selection/selection.h"
#include "base/json_writer.h"

namespace sparkprof {

// A selection in the page's format (docs/report-data.md).
void WriteSelection(const Selection& selection, JsonWriter* json);

// {"id","title","severity","confidence","what","evidence","rule","selection","change","gainNs","savingMs","ruleId","stages",
// "frames"}, see docs/report-data.md.
struct Finding;
class Costs;
void WriteFinding(const Finding& finding, JsonWriter* json);

// The format of `sparkprof findings --json`, see docs/findings.md.
// With the cost of the saving if costs are given: "savingCost":{"low","high","currency"}.
void WriteFindingForScripts(const Application& application, const Finding& finding, const Costs* costs,
                            JsonWriter* json);

}  // namespace sparkprof
