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
void WriteFinding(const Finding& finding, JsonWriter* json);

// The format of `sparkprof findings --json`, see docs/findings.md.
void WriteFindingForScripts(const Application& application, const Finding& finding, JsonWriter* json);

}  // namespace sparkprof
