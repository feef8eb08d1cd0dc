// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "recording/source_grouping.h"

namespace sparkprof {

// A node's other processes with the highest CPU and disk usage while an application ran, summed by application, or by
// user and name. `is_own` identifies the application's processes. At most kMaxNeighbors.
std::vector<Neighbor> FindNeighbors(const RecordedApplication& application, const RecordedSource& node,
                                    const std::function<bool(const Process&)>& is_own);

inline constexpr size_t kMaxNeighbors = 12;

}  // namespace sparkprof
