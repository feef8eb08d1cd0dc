// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analysis/costs/costs.h"
#include "analysis/findings/finding.h"
#include "analysis/selection/selection.h"
#include "base/json_writer.h"

namespace sparkprof {

// A selection in the page's format (docs/report-data.md).
void WriteSelection(const Selection& selection, JsonWriter* json);

// The format of `sparkprof findings --json`, see docs/findings.md. Has the cost of the saving if costs are given.
void WriteFinding(const Application& application, const Finding& finding, const std::optional<Costs>& costs,
                  JsonWriter* json);

}  // namespace sparkprof
