// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/findings/finding.h"
#include "model/application.h"

namespace sparkprof {

// Rows of the tasks in a report, in order: all tasks of the chosen stages (by row), or if there are more than `most`,
// those named in findings, unsuccessful ones (up to a quarter), and an even selection of each stage in proportion to
// its share of all tasks, at least its slowest task.
std::vector<uint32_t> ChooseTasks(const Application& application, const std::vector<Finding>& findings,
                                  const std::vector<bool>& stage_shown, size_t most);

}  // namespace sparkprof
