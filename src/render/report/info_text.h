// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/application.h"
#include "model/block.h"

namespace sparkprof {

// The text output of `sparkprof info`: summary lines, samples by event, and losses of each application.
std::string RenderInfoText(const std::vector<const Application*>& applications,
                           const std::vector<std::vector<std::string>>& lines, const RecordingStatus& status);

// Rows as a table: columns as wide as their widest cell, the first to the left, the others to the right.
std::string RenderTable(const std::vector<std::vector<std::string>>& rows);

}  // namespace sparkprof
