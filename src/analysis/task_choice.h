// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/findings/finding.h"
#include "model/application.h"

namespace sparkprof {

// Rows of the tasks that a report shows, in their order: all of the stages (by row) that are shown, or where there are
// more than `most` those that findings name, those that did not succeed (up to a quarter of the room), and of every
// stage as many, evenly over its tasks, as its share of all tasks is, at least its slowest one.
std::vector<uint32_t> ChooseTasks(const Application& application, const std::vector<Finding>& findings,
                                  const std::vector<bool>& stage_shown, size_t most);

}  // namespace sparkprof
