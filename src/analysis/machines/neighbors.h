// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// Resources that a neighbor used between two times.
struct NeighborUse {
  const Neighbor* neighbor = nullptr;
  double cores = 0;                  // mean
  double disk_bytes_per_second = 0;  // read and written, mean
};

// Neighbors on the hosts of `executors` (rows; empty = all) with the highest CPU usage, then disk usage, without
// negligible ones. At most kMaxNeighbors.
std::vector<NeighborUse> NeighborsBetween(const Application& application, int64_t begin_ns, int64_t end_ns,
                                          const std::set<int32_t>& executors);

inline constexpr size_t kMaxNeighbors = 5;

// The neighbors while and where the tasks of a stage ran. `tasks` are rows.
std::vector<NeighborUse> NeighborsOfTasks(const Application& application, const std::vector<uint32_t>& tasks);

// Formats "on node7, application_1_0042 (user ana) used 3.1 of 4 cores meanwhile" for the first of `uses` with
// considerable CPU usage; empty if there is none.
std::string NeighborText(const std::vector<NeighborUse>& uses);

}  // namespace sparkprof
