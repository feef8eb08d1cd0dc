// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "analysis/selection/selection.h"
#include "base/result.h"
#include "mcp/shown_samples.h"
#include "mcp/tool.h"

namespace sparkprof {

// Formats "cpu 8.2 s in 812 samples".
std::string AmountOf(const ShownSamples& shown);

// Selects the other tasks in the stage attempt of the selected task. Fails if there are none.
Result<Selection> OtherTasks(const Application& application, const Selection& selection);

// Adds a line for each of the `most` frames with the largest difference in their shares.
void AddDifference(const ShownSamples& before, const ShownSamples& after, size_t most, ToolAnswer* answer);

}  // namespace sparkprof
